// The command line on a real cluster, as a plugin of the real kubectl.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../cluster/run-command.ts';
import { withDevices } from '../device-story.ts';
import { canBuild, withNamespace } from '../fixture.ts';
import { bridgeNetwork, deviceNetwork, type Network } from '../networks.ts';
import { networksAnnotation, statusOf } from '../pods.ts';
import { withDnet } from './dnet.ts';

const story = withNamespace('dnet', 98);
const { devicesOf } = withDevices(story);
const { dnet, json } = withDnet(story.namespace);

let blue: Network;
let green: Network;
let directory: string;

beforeAll(async () => {
  blue = await story.network(bridgeNetwork, 'blue');
  green = await story.network(bridgeNetwork, 'green');
  await story.startPod('erring');
  directory = await mkdtemp(join(tmpdir(), 'dnet-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

type Interface = { interface: string; network: string; ready: boolean; ips: string[] };
type PodNetworks = { pod: string; node: string; ready: boolean; interfaces: Interface[] };

describe.concurrent('kubectl dnet', () => {
  it('plugs, shows, waits for and unplugs an interface, and tells what happened', async () => {
    const pod = await story.startPod('web');
    expect(await dnet('status', 'web')).toMatchObject({
      exitCode: 0,
      stderr: 'Pod web has no secondary networks.\n',
    });

    const plugged = await dnet('plug', 'web', 'blue', '--interface', 'hot0', '--wait');
    const [link] = await story.expectInterfaces(pod, { hot0: blue });
    expect(plugged).toEqual({
      exitCode: 0,
      stdout: `pod/web: hot0 on ${blue.fullName} plugged with ${link?.addresses[0]}\n`,
      stderr: '',
    });
    expect((await dnet('wait', 'web', 'hot0', '--timeout', '10s')).exitCode).toBe(0);

    const { stdout } = await dnet('status', 'web', '-o', 'wide');
    expect(stdout).toMatch(/^POD +INTERFACE +NETWORK +DESIRED +REPORTED +READY +SINCE +NODE/);
    expect(stdout).toMatch(
      new RegExp(`^web +hot0 +${blue.fullName} +yes +${link?.addresses[0]} +yes .*${pod.node}`, 'm'),
    );
    const { items } = await json<{ items: PodNetworks[] }>('status', 'web');
    expect(items).toMatchObject([
      {
        pod: 'web',
        node: pod.node,
        ready: true,
        interfaces: [{ interface: 'hot0', network: blue.fullName, ready: true, ips: link?.addresses, mac: link?.mac }],
      },
    ]);

    const networks = await json<{ items: { name: string; users: { pod: string }[] }[] }>('networks', 'blue');
    expect(networks.items).toMatchObject([{ name: 'blue', type: 'bridge', ipam: 'host-local' }]);
    expect(networks.items[0]?.users.map((user) => user.pod)).toContain('web');

    expect(await dnet('unplug', 'web', 'hot0', '--wait')).toEqual({
      exitCode: 0,
      stdout: `pod/web: hot0 from ${blue.fullName} unplugged\n`,
      stderr: '',
    });
    await story.expectInterfaces(pod, {});
    expect((await dnet('wait', 'web', 'hot0', '--for', 'gone')).exitCode).toBe(0);
    await story.expectEvent(pod, 'RemovedInterface');
    const events = (await dnet('events', 'web')).stdout;
    expect(events).toMatch(/AddedInterface[\s\S]*RemovedInterface/);
  });

  it('shows before an edit what the agent then does', async () => {
    const pod = await story.startPod('planned', { networks: 'blue@made0' });
    await story.annotate(pod, 'blue@made0,blue@hot0');
    await story.expectInterfaces(pod, { made0: blue, hot0: blue });
    expect((await dnet('plan', 'planned')).exitCode).toBe(0);

    const edit = join(directory, 'edit');
    const wanted = 'blue@made0, green@new0';
    await writeFile(edit, wanted);
    const planned = await dnet('plan', 'planned', '-f', edit);
    expect(planned.exitCode).toBe(1);
    expect(planned.stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 2).join(' ').trim())).toEqual([
      'ACTION INTERFACE',
      '- unplug hot0',
      '+ plug new0',
      'keep',
      '',
    ]);
    await story.expectInterfaces(pod, { made0: blue, hot0: blue });

    await story.annotate(pod, wanted);
    await story.expectInterfaces(pod, { made0: blue, new0: green });
    expect((await dnet('plan', 'planned')).exitCode).toBe(0);
    expect((await dnet('plan', 'nobody')).exitCode).toBe(3);
  });

  it('overwrites nobody: of many editors at once each gets its interface, and of two that want one name, one', async () => {
    const pod = await story.startPod('shared');
    const names = ['a0', 'b0', 'c0', 'd0'];
    const plugs = names.map((name) => dnet('plug', 'shared', 'blue', '--interface', name, '--wait'));
    expect((await Promise.all(plugs)).map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
      names.map(() => ({ exitCode: 0, stderr: '' })),
    );
    await story.expectInterfaces(pod, { a0: blue, b0: blue, c0: blue, d0: blue });

    const rivals = await Promise.all(
      ['blue', 'green'].map((network) => dnet('plug', 'shared', network, '--interface', 'e0', '--wait')),
    );
    expect(rivals.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 1]);
    expect(rivals.map(({ stderr }) => stderr).join('')).toContain(
      `error: interface e0 of pod ${story.namespace}/shared is taken`,
    );
    const elements: { interface: string }[] = JSON.parse(
      (await story.getPod(pod)).metadata.annotations?.[networksAnnotation] ?? '[]',
    );
    expect(elements.map((element) => element.interface).toSorted()).toEqual([...names, 'e0']);
  });

  it.each([
    ['a pod that there is not', ['plug', 'nobody', 'blue'], 1, /pod .*\/nobody does not exist/],
    ['a network that there is not', ['plug', 'erring', 'nowhere'], 1, /nowhere does not exist/],
    ['an option that there is not', ['plug', 'erring', 'blue', '--now'], 2, /unknown option '--now'/],
    ['a duration that is none', ['wait', 'erring', '--timeout', 'long'], 2, /"long" is not a duration/],
    ['a wait that takes too long', ['wait', 'erring', 'no0', '--timeout', '1s'], 1, /error: /],
  ])('refuses %s', async (_situation, args, exitCode, complaint) => {
    const said = await dnet(...args);
    expect(said).toMatchObject({ exitCode, stdout: '' });
    expect(said.stderr).toMatch(complaint);
  });

  it.skipIf(!canBuild)('lists the devices behind interfaces', async () => {
    await story.network(deviceNetwork, 'vf');
    const pod = await story.startPod('devices', { networks: 'vf@vf0', devices: 1 });
    const [address] = await devicesOf(pod);
    expect(address).toMatch(/^0000:/);
    const { items } = await json<{ items: object[] }>('devices', 'devices');
    const told = statusOf(await story.getPod(pod)).find((entry) => entry.interface === 'vf0')?.['device-info'];
    expect(told?.pci?.['pci-address']).toBe(address);
    expect(items).toMatchObject([{ pod: 'devices', interface: 'vf0', type: 'pci', pciAddress: address }]);
  });

  it('packs what somebody who helps wants to see, and no secret', async () => {
    const pod = await story.startPod('bundled', { networks: 'green@made0' });
    await story.expectInterfaces(pod, { made0: green });
    const file = join(directory, 'bundle.tar.gz');
    expect(await dnet('support-bundle', '-f', file)).toMatchObject({ exitCode: 0, stdout: `${file}\n` });
    const names = (await runCommand(['tar', '-tzf', file])).split('\n').map((name) => name.replace(/^[^/]+\//, ''));
    const agent = await story.agentPod(pod.node);
    expect(names).toEqual(
      expect.arrayContaining([
        'doctor.json',
        'pods.json',
        'networks.json',
        'installation/daemonsets.json',
        ...['ledger.txt', 'log.txt', 'metrics.txt', 'readyz.txt'].map((part) => `agent/${agent.name}/${part}`),
      ]),
    );
    const content = await runCommand(['tar', '-xzOf', file]);
    expect(content).toContain('agent started');
    expect(content).toContain('dynamic_networks_ledger_pods');
    expect(content).toContain('"bundled"');
    expect(content).not.toMatch(/BEGIN [A-Z ]*PRIVATE KEY|eyJhbGciOi/);
  });
});
