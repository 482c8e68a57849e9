// Edit the annotation of a running pod, and the pod has the interfaces that it asks for.
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork, type Network } from '../networks.ts';
import { statusAnnotation, statusOf } from '../pods.ts';

const story = withNamespace('plug', 31);
const owned = z.object({
  'f:metadata': z.optional(z.object({ 'f:annotations': z.optional(z.record(z.string(), z.unknown())) })),
});
const managedFields = z.array(z.object({ manager: z.string(), subresource: z.optional(z.string()), fieldsV1: owned }));
const annotationsIn = (fields: z.infer<typeof owned> | undefined) => fields?.['f:metadata']?.['f:annotations'] ?? {};

let blue: Network;
let green: Network;

beforeAll(async () => {
  blue = await story.network(bridgeNetwork, 'blue');
  green = await story.network(bridgeNetwork, 'green');
});

describe.concurrent('a running pod', () => {
  it('gets an interface when an element is added, and loses it when it is removed', async () => {
    const pod = await story.startPod('simple');
    await story.expectInterfaces(pod, {});

    await story.annotate(pod, [{ name: 'blue', interface: 'blue0' }]);
    const [link] = await story.expectInterfaces(pod, { blue0: blue });
    await story.expectEvent(pod, 'AddedInterface', new RegExp(`blue0 on ${blue.fullName} with ${link?.addresses[0]}`));
    await story.expectCondition(pod, 'True', 'AllReady');
    expect(await story.reports(pod)).toMatchObject([{ interface: 'blue0', network: blue.fullName, ready: true }]);

    await story.annotate(pod, []);
    await story.expectInterfaces(pod, {});
    await story.expectEvent(pod, 'RemovedInterface', /blue0/);
    const inUse = (await story.addressesInUse(blue)).map(({ address }) => address);
    expect(inUse).not.toContain(link?.addresses[0]);
  });

  it('tells by its managed fields who wrote its network-status', async () => {
    const pod = await story.startPod('written');
    await story.annotate(pod, 'blue@blue0');
    await story.expectInterfaces(pod, { blue0: blue });
    const answer = await story.kubectl.run([
      ...['-n', pod.namespace, 'get', 'pod', pod.name],
      ...['--show-managed-fields', '--output', 'jsonpath={.metadata.managedFields}'],
    ]);
    const entries = managedFields.parse(JSON.parse(answer));
    const own = entries.filter(({ fieldsV1 }) => 'f:dynamic-networks.io/interfaces' in annotationsIn(fieldsV1));
    expect(own).toMatchObject([{ manager: 'dynamic-networks-agent', subresource: 'status' }]);
    expect(annotationsIn(own[0]?.fieldsV1)).toHaveProperty([`f:${statusAnnotation}`]);
  });

  it('may be asked in JSON and in the short form, by turns', async () => {
    const pod = await story.startPod('forms', { networks: 'blue@blue0' });
    const [created] = await story.expectInterfaces(pod, { blue0: blue });

    await story.annotate(pod, [
      { name: 'blue', interface: 'blue0' },
      { name: 'green', namespace: story.namespace, interface: 'green0' },
    ]);
    const json = await story.expectInterfaces(pod, { blue0: blue, green0: green });
    expect(json).toContainEqual(created);

    await story.annotate(pod, `blue@blue0, ${story.namespace}/green@green0,green@green1`);
    const short = await story.expectInterfaces(pod, { blue0: blue, green0: green, green1: green });
    expect(short).toEqual(expect.arrayContaining([...json]));
  });

  it.each([
    ['removed', undefined],
    ['emptied', ''],
    ['an empty list', '[]'],
  ])('has no secondary network once the annotation is %s', async (name, networks) => {
    const pod = await story.startPod(`none-${name.replaceAll(' ', '-')}`, { networks: 'blue@made0' });
    await story.annotate(pod, 'blue@made0,green@hot0');
    await story.expectInterfaces(pod, { made0: blue, hot0: green });

    await story.annotate(pod, networks);
    await story.expectInterfaces(pod, {});
  });

  it('keeps its default network as it was, whatever is plugged', async () => {
    const pod = await story.startPod('default');
    const before = (await story.links(pod)).find(({ ifname }) => ifname === 'eth0');
    const entry = statusOf(await story.getPod(pod)).find((one) => one.default === true);
    expect(before?.addresses).toHaveLength(1);

    await story.annotate(pod, 'blue@blue0');
    await story.expectInterfaces(pod, { blue0: blue });
    await story.annotate(pod, undefined);
    await story.expectInterfaces(pod, {});

    expect((await story.links(pod)).find(({ ifname }) => ifname === 'eth0')).toEqual(before);
    expect(statusOf(await story.getPod(pod))).toEqual([entry]);
  });
});
