// A typing error takes no network away: nothing changes, the pod says what is wrong, and the next good edit heals it.
import { beforeAll, describe, expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork, type Network } from '../networks.ts';
import type { PodLink } from '../pod-links.ts';
import type { PodRef } from '../pods.ts';

const story = withNamespace('invalid', 32);
const good = 'blue@made0,blue@hot0';
let blue: Network;
let pod: PodRef;
let before: readonly PodLink[];

beforeAll(async () => {
  blue = await story.network(bridgeNetwork, 'blue');
  pod = await story.startPod('typo', { networks: 'blue@made0' });
  await story.annotate(pod, good);
  before = await story.expectInterfaces(pod, { made0: blue, hot0: blue });
});

describe('an annotation that cannot be understood', () => {
  it.each([
    ['is no JSON', '[{"name":"blue"', /JSON/],
    ['has an element without a name', '[{"interface":"x0"}]', /name/],
    ['has a name that is none', 'blue@hot0,No_Name', /No_Name/],
    ['has too long an interface name', 'blue@hot0,blue@sixteen-letters0', /sixteen-letters0/],
    ['has a MAC that is none', '[{"name":"blue","interface":"hot0","mac":"02:00"}]', /02:00/],
    ['has an address that is none', '[{"name":"blue","interface":"hot0","ips":["10.999.0.1/24"]}]', /10\.999\.0\.1/],
    ['names one interface twice', 'blue@twice0,blue@twice0', /twice0/],
  ])('that %s changes nothing, is complained about, and heals', async (_case, networks, complaint) => {
    await story.annotate(pod, networks);
    const event = await story.expectEvent(pod, 'InvalidNetworks', complaint);
    expect(event.type).toBe('Warning');
    const condition = await story.expectCondition(pod, 'False', 'InvalidNetworks');
    expect(condition.message).toMatch(complaint);
    expect(await story.expectInterfaces(pod, { made0: blue, hot0: blue })).toEqual(before);

    await story.annotate(pod, good);
    await story.expectCondition(pod, 'True', 'AllReady');
    expect(await story.expectInterfaces(pod, { made0: blue, hot0: blue })).toEqual(before);
  });
});
