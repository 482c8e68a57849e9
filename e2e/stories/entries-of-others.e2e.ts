// Entries of network-status that no element can mean belong to somebody else: they and their interfaces are never touched.
import { expect, it } from 'vitest';
import { withNamespace } from '../fixture.ts';
import { bridgeNetwork, type Network } from '../networks.ts';
import { statusOf } from '../pods.ts';

const story = withNamespace('others', 49);

it('keeps what somebody else attached and wrote down, whatever is plugged and unplugged beside it', async () => {
  const blue = await story.network(bridgeNetwork, 'blue');
  const pod = await story.startPod('shared', { networks: 'blue@made0', isNetAdmin: true });
  await story.exec(pod, ['ip', 'link', 'add', 'ext0', 'type', 'bridge']);
  await story.exec(pod, ['ip', 'link', 'set', 'ext0', 'up']);
  const [ext] = (await story.links(pod)).filter(({ ifname }) => ifname === 'ext0');
  const theirs = [
    { name: 'somebody-elses', interface: 'ext0', mac: ext?.mac ?? '', dns: {} },
    { name: 'without-an-interface', ips: ['192.0.2.1'], dns: {} },
  ];
  await story.writeStatus(pod, [...statusOf(await story.getPod(pod)), ...theirs]);
  const elsewhere: Network = { ...blue, fullName: 'somebody-elses', ipam: 'none' };
  const statusOfOthers = async () =>
    statusOf(await story.getPod(pod)).filter(({ name }) => theirs.some((entry) => entry.name === name));

  await story.annotate(pod, 'blue@made0,blue@hot0');
  await story.expectInterfaces(pod, { made0: blue, hot0: blue, ext0: elsewhere });
  expect(await statusOfOthers()).toEqual(theirs);

  await story.annotate(pod, undefined);
  const left = await story.expectInterfaces(pod, { ext0: elsewhere });
  expect(left).toEqual([ext]);
  expect(await statusOfOthers()).toEqual(theirs);
  await story.expectAddresses(blue, 0);
});
