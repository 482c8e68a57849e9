// status, plug, unplug, plan, wait, events and networks, with the agent at work on the embedded cluster.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bridge, type Ref, World } from '../harness.ts';
import { longestLine, runDnet, text } from './run-dnet.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterEach(async () => {
  await world.clean();
});
afterAll(async () => {
  await world.stop();
});

const dnet = (...args: string[]) => runDnet(world, args);
/** The same, 65 seconds after the pod's last report. */
const dnetLater = (pod: Ref, ...args: string[]) =>
  runDnet(world, args, { now: () => Math.max(...world.reports(pod).map(({ since }) => Date.parse(since))) + 65_000 });

/** A network that nobody has used yet, so that its first address is known. */
const unused = (name: string, subnet: string) => world.cluster.createNad({ name, config: bridge(name, subnet) });

describe('plug', () => {
  it('plugs a network, waits, and says the address', async () => {
    const pod = await world.pod('web');
    expect(await dnet('plug', 'web', 'blue', '--wait')).toEqual({
      code: 0,
      out: 'pod/web: net1 on default/blue plugged with 10.10.1.2\n',
      err: '',
    });
    expect(world.links(pod)).toEqual(['net1']);
  });

  it('passes interface, addresses and hardware address on', async () => {
    const pod = await world.pod('web');
    const said = await dnet(
      'plug',
      'web',
      'default/red',
      '--interface',
      'r0',
      '--ip',
      '10.10.2.77',
      '--mac',
      '02:00:00:00:00:09',
    );
    expect(said).toEqual({ code: 0, out: 'pod/web: r0 on default/red requested\n', err: '' });
    const annotations = world.cluster.pod(pod).metadata.annotations;
    expect(annotations?.['k8s.v1.cni.cncf.io/networks']).toBe(
      '[{"name":"red","namespace":"default","ips":["10.10.2.77"],"mac":"02:00:00:00:00:09","interface":"r0"}]',
    );
  });

  it('leaves other elements as they were written, in either form', async () => {
    const pod = await world.pod('web', 'blue, default/red@r0');
    await dnet('plug', 'web', 'green', '--wait');
    expect(world.cluster.pod(pod).metadata.annotations?.['k8s.v1.cni.cncf.io/networks']).toBe(
      '[{"name":"blue"},{"name":"red","namespace":"default","interface":"r0"},{"name":"green","interface":"net2"}]',
    );
    await world.converged(pod, { net1: 'default/blue', r0: 'default/red', net2: 'default/green' });
  });

  it.each([
    [['nobody', 'blue'], 1, 'error: pod default/nobody does not exist\n'],
    [['web', 'yellow'], 1, 'error: NetworkAttachmentDefinition default/yellow does not exist\n'],
    [
      ['web', 'blue', '--interface', 'eth0'],
      1,
      "error: interface eth0 of pod default/web is taken: it is on the pod's default network\n",
    ],
    [
      ['web', 'blue', '--interface', 'b0'],
      1,
      'error: interface b0 of pod default/web is taken: it is on default/blue\n',
    ],
    [
      ['web', 'blue', '--interface', 'a-name-that-is-too-long'],
      1,
      'error: interface name "a-name-that-is-too-long" is 23 bytes long; at most 15 are allowed\n',
    ],
    [['web', 'blue', '--mac', 'x'], 1, 'error: mac "x" is not a MAC address such as 02:00:00:00:00:01\n'],
    [['web', 'a/b/c'], 2, 'error: "a/b/c" is not NAME or NAMESPACE/NAME of a network\n'],
    [['web', 'blue', '--timeout', 'soon'], 2, 'error: --timeout "soon" is not a duration such as 30s or 2m\n'],
    [['web'], 2, "error: missing required argument 'NETWORK'\n"],
    [['web', 'blue', '--nonsense'], 2, "error: unknown option '--nonsense'\n"],
    [
      ['hosted', 'blue'],
      1,
      'error: pod default/hosted uses the network of its node (hostNetwork), so no interface can be plugged into it\n',
    ],
    [
      ['launcher', 'blue'],
      1,
      'error: pod default/launcher runs the virtual machine vm-a, whose manager writes its networks annotation\n',
    ],
  ])('%j exits with %i and says %s', async (args, code, message) => {
    await world.pod('web', 'blue@b0');
    await world.pod('hosted', undefined, { hostNetwork: true });
    await world.pod('launcher', undefined, {
      labels: { 'kubevirt.io': 'virt-launcher' },
      annotations: { 'kubevirt.io/domain': 'vm-a' },
    });
    const said = await dnet('plug', ...args);
    expect([said.code, said.out]).toEqual([code, '']);
    expect(said.err).toContain(message);
    expect(said.err.split('\n').length, 'says what to do next').toBeGreaterThan(
      code === 1 && !message.includes('MAC') ? 2 : 1,
    );
  });

  it('ends at once when waiting is in vain, and with the reason when the time is up', async () => {
    const pod = await world.pod('web');
    world.cluster.createNad({ name: 'broken', config: '{"type":' });
    const vain = await dnet('plug', 'web', 'broken', '--wait');
    expect(vain.code).toBe(1);
    expect(vain.err).toContain(
      'error: waiting until net1 on default/broken is ready is in vain: net1 on default/broken: InvalidNetworkConfig',
    );
    const late = await dnet('plug', 'web', 'missing', '--allow-missing', '--wait', '--timeout', '1s');
    expect(late.code).toBe(1);
    expect(late.err).toContain(
      'error: not within 1 s: net2 on default/missing is ready; net2 on default/missing: NetworkNotFound',
    );
    expect(world.reports(pod)).toHaveLength(2);
    world.cluster.objects.remove({ resource: 'network-attachment-definitions', namespace: 'default', name: 'broken' });
  });

  it('loses no element when two people plug at the same time', async () => {
    const pod = await world.pod('web');
    const names = ['a0', 'b0', 'c0', 'd0', 'e0'];
    const said = await Promise.all(names.map((name) => dnet('plug', 'web', 'blue', '--interface', name, '--wait')));
    expect(said.map(({ code, err }) => [code, err])).toEqual(names.map(() => [0, '']));
    expect(world.links(pod)).toEqual(names);
  });

  it('gives two people who name none different names', async () => {
    const pod = await world.pod('web', [{ name: 'green', interface: 'g0' }]);
    const said = await Promise.all([dnet('plug', 'web', 'blue', '--wait'), dnet('plug', 'web', 'red', '--wait')]);
    expect(said.map(({ code }) => code)).toEqual([0, 0]);
    expect(world.links(pod)).toEqual(['g0', 'net1', 'net2']);
  });

  it('says that successors of the pod will not have it', async () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d', uid: 'u', controller: true }];
    await world.pod('web-5d-x', undefined, { ownerReferences });
    const said = await dnet('plug', 'web-5d-x', 'blue');
    expect(said.err).toBe(
      'note: this pod only; to have it in the pods that ReplicaSet web-5d makes next, edit the pod template as well\n',
    );
  });
});

describe('unplug', () => {
  it('unplugs one interface, named or not, and leaves the others', async () => {
    const pod = await world.pod('web', 'blue, red, green@g0');
    await world.converged(pod, { net1: 'default/blue', net2: 'default/red', g0: 'default/green' });
    expect(await dnet('unplug', 'web', 'net1', '--wait')).toEqual({
      code: 0,
      out: 'pod/web: net1 from default/blue unplugged\n',
      err: '',
    });
    await world.converged(pod, { net2: 'default/red', g0: 'default/green' });
    expect((await dnet('unplug', 'web', 'g0')).out).toBe('pod/web: removal of g0 from default/green requested\n');
    await dnet('unplug', 'web', 'net2', '--wait');
    await world.converged(pod, {});
    expect(world.cluster.pod(pod).metadata.annotations?.['k8s.v1.cni.cncf.io/networks']).toBeUndefined();
  });

  it('says what there is when the name is wrong', async () => {
    await world.pod('web', 'blue@b0');
    expect(await dnet('unplug', 'web', 'b1')).toEqual({
      code: 1,
      out: '',
      err: text(`
        error: pod default/web asks for no interface b1
          it asks for: b0; kubectl dnet status web -n default shows more
      `),
    });
  });
});

describe('status', () => {
  it('shows what is ready and why something is not', async () => {
    unused('amber', '10.20.1.0/24');
    const pod = await world.pod('web');
    world.edit(pod, 'amber@b0, yellow@y0');
    await world.cluster.until('both are reported', () => world.reports(pod).length === 2);
    const said = await dnetLater(pod, 'status');
    expect(said).toEqual({
      code: 0,
      out: text(`
        POD  INTERFACE  NETWORK         DESIRED  REPORTED   READY  SINCE  NODE
        web  b0         default/amber   yes      10.20.1.2  yes    65s    node-a
        web  y0         default/yellow  yes      no         no     65s    node-a
            NetworkNotFound: NetworkAttachmentDefinition default/yellow does not exist; create it, and the
            interface is plugged
      `),
      err: '',
    });
    expect(await dnetLater(pod, 'status', 'web')).toEqual(said);
  });

  it('has the whole truth as JSON and YAML', async () => {
    unused('pink', '10.20.2.0/24');
    const pod = await world.pod('web');
    await dnet('plug', 'web', 'pink', '--wait');
    const [report] = world.reports(pod);
    const expected = {
      apiVersion: 'cli.dynamic-networks.io/v1',
      kind: 'PodNetworksList',
      items: [
        {
          namespace: 'default',
          pod: 'web',
          node: 'node-a',
          phase: 'Running',
          ready: true,
          interfaces: [
            {
              interface: 'net1',
              network: 'default/pink',
              reported: true,
              ready: true,
              since: report?.since,
              ips: ['10.20.2.2'],
              mac: world.cluster.networkStatus(pod)[1]?.mac,
              desired: true,
            },
          ],
        },
      ],
    };
    expect(JSON.parse((await dnet('status', '-o', 'json')).out)).toEqual(expected);
    expect((await dnet('status', '-o', 'yaml')).out).toContain(`kind: PodNetworksList
items:
  - namespace: default
    pod: web
    node: node-a
    phase: Running
    ready: true
    interfaces:
      - interface: net1
        network: default/pink
`);
  });

  it('stays within a page of 100 columns, whatever the names; wide cuts nothing', async () => {
    const long = 'a-deployment-with-a-rather-long-name-7c9b8d6f5-x2v4q';
    const pod = await world.pod(long, undefined, { nodeName: world.cluster.nodeName });
    world.cluster.createNad({
      name: 'tenant-network-production-europe',
      config: '{"cniVersion":"0.3.1","type":"bridge"}',
    });
    await dnet('plug', long, 'tenant-network-production-europe', '--interface', 'tenant0', '--wait');
    await dnet('plug', long, 'nowhere', '--allow-missing', '--interface', 'n0');
    await world.cluster.until('both are reported', () => world.reports(pod).length === 2);
    const said = await dnet('status', '-A');
    expect(longestLine(said.out)).toBeLessThanOrEqual(100);
    expect(said.out).toContain('…');
    expect((await dnet('status', '-A', '-o', 'wide')).out).not.toContain('…');
  });

  it('tells of an annotation that cannot be understood, and of a pod that has nothing', async () => {
    unused('grey', '10.20.3.0/24');
    const pod = await world.pod('web', 'grey@b0');
    world.edit(pod, '[{"name":"grey","interface":"b0"},{"nam":"red"}]');
    await world.cluster.until('the agent complains', () => world.condition(pod)?.reason === 'InvalidNetworks');
    expect((await dnetLater(pod, 'status', 'web')).out).toBe(
      text(`
        POD  INTERFACE  NETWORK       DESIRED  REPORTED   READY  SINCE  NODE
        web  b0         default/grey  ?        10.20.3.2  yes    65s    node-a
        web  -          -             -        -          no     -      node-a
            InvalidNetworks: element 2: name is missing; it must be that of a NetworkAttachmentDefinition;
            nothing was changed
      `),
    );
    await world.pod('plain');
    expect((await dnet('status', 'plain')).err).toBe('Pod plain has no secondary networks.\n');
    expect((await dnet('status', '-n', 'kube-system')).err).toBe(
      'No pod in namespace kube-system has secondary networks.\n',
    );
  });

  it('uses colours on a terminal only, and not with NO_COLOR', async () => {
    const pod = await world.pod('web', 'blue@b0');
    await world.cluster.until('it is reported', () => world.reports(pod).length === 1);
    const colour = '\u001b[';
    expect((await runDnet(world, ['status'], { isTerminal: true })).out).toContain(colour);
    expect((await runDnet(world, ['status'], { isTerminal: true, env: { NO_COLOR: '1' } })).out).not.toContain(colour);
    expect((await dnet('status')).out).not.toContain(colour);
  });
});

describe('plan', () => {
  const edit = (content: string): string => {
    const file = join(mkdtempSync(join(world.cluster.dir, 'plan-')), 'edit');
    writeFileSync(file, content);
    return file;
  };

  it('exits with 0 when nothing would change', async () => {
    const pod = await world.pod('web', 'blue@b0');
    await world.converged(pod, { b0: 'default/blue' });
    const said = await dnet('plan', 'web');
    expect(said).toEqual({
      code: 0,
      out: text(`
        ACTION  INTERFACE  NETWORK       ONLY
          keep  b0         default/blue
      `),
      err: '',
    });
  });

  it('exits with 1 and shows each step of an edit, and nothing is done', async () => {
    const pod = await world.pod('web', 'blue@b0, red@r0');
    await world.converged(pod, { b0: 'default/blue', r0: 'default/red' });
    const said = await dnet('plan', 'web', '-f', edit('blue@b0, green@g0, yellow@y0'));
    expect(said.code).toBe(1);
    expect(said.out).toBe(
      [
        'ACTION    INTERFACE  NETWORK         ONLY',
        '- unplug  r0         default/red',
        '+ plug    g0         default/green',
        '+ plug    y0         default/yellow',
        '    NetworkNotFound: NetworkAttachmentDefinition default/yellow does not exist; the interface is',
        '    plugged when it is created',
        '  keep    b0         default/blue',
        '',
      ].join('\n'),
    );
    await world.converged(pod, { b0: 'default/blue', r0: 'default/red' });
  });

  it('reads a pod manifest, and says both where only the node knows', async () => {
    const pod = await world.pod('web', 'blue@b0');
    await world.converged(pod, { b0: 'default/blue' });
    const manifest = edit(
      'kind: Pod\nmetadata:\n  annotations:\n    k8s.v1.cni.cncf.io/networks: \'[{"name":"blue","interface":"b0","ips":["10.10.1.99"]}]\'\n',
    );
    const { code, out } = await dnet('plan', 'web', '-f', manifest, '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out).steps).toEqual([
      { action: 'replace', interface: 'b0', network: 'default/blue', onlyIf: 'hotPlugged' },
      {
        action: 'keep',
        interface: 'b0',
        network: 'default/blue',
        reason: 'AttributesChanged',
        message: expect.stringContaining('to apply the change, remove the element'),
        onlyIf: 'cameWithPod',
      },
    ]);
  });

  it('says that nothing would change for an edit that cannot be understood', async () => {
    await world.pod('web');
    const said = await dnet('plan', 'web', '-f', edit('[{"name":"blue","interface":"x/y"}]'));
    expect(said.code).toBe(0);
    expect(said.out).toContain('Nothing would change. InvalidNetworks: element 1: interface "x/y" must not contain');
  });

  it('exits with 3 when it failed and 2 when it was called wrongly', async () => {
    expect((await dnet('plan', 'nobody')).code).toBe(3);
    await world.pod('web');
    expect((await dnet('plan', 'web', '-f', '/does/not/exist')).code).toBe(2);
  });

  it('is what the agent then does', async () => {
    const pod = await world.pod('web', 'blue@b0, red@r0');
    await world.converged(pod, { b0: 'default/blue', r0: 'default/red' });
    const next = [
      { name: 'green', interface: 'b0' },
      { name: 'red', interface: 'r0' },
      { name: 'blue', interface: 'n0' },
    ];
    const { out } = await dnet('plan', 'web', '-f', edit(JSON.stringify(next)), '-o', 'json');
    expect(
      JSON.parse(out).steps.map((step: { action: string; interface: string }) => `${step.action} ${step.interface}`),
    ).toEqual(['replace b0', 'attach n0', 'keep r0']);
    world.edit(pod, next);
    await world.converged(pod, { b0: 'default/green', r0: 'default/red', n0: 'default/blue' });
  });
});

describe('wait', () => {
  it('returns when the interfaces are there, and when they are gone', async () => {
    const pod = await world.pod('web');
    world.edit(pod, 'blue@b0, red@r0');
    expect(await dnet('wait', 'web')).toEqual({ code: 0, out: 'pod/web: all interfaces ready\n', err: '' });
    expect(world.links(pod)).toEqual(['b0', 'r0']);
    const waiting = dnet('wait', 'web', 'b0', '--for', 'gone');
    expect((await waiting).err).toContain('is in vain: the pod still asks for b0 on default/blue');
    world.edit(pod, 'red@r0');
    expect((await dnet('wait', 'web', 'b0', '--for', 'gone')).out).toBe('pod/web: b0 gone\n');
    expect((await dnet('wait', 'web', '--for', 'blue')).code).toBe(2);
  });

  it('ends when it is interrupted', async () => {
    await world.pod('web', undefined);
    const stop = new AbortController();
    const waiting = runDnet(world, ['plug', 'web', 'missing', '--allow-missing', '--wait'], { signal: stop.signal });
    await world.cluster.until(
      'it is asked for',
      () => world.reports({ namespace: 'default', name: 'web' }).length === 1,
    );
    stop.abort(new Error('interrupted'));
    expect((await waiting).code).toBe(1);
  });
});

describe('events and networks', () => {
  it('lists what the agent told of', async () => {
    unused('teal', '10.20.4.0/24');
    const pod = await world.pod('told');
    await dnet('plug', 'told', 'teal', '--interface', 'b0', '--wait');
    await world.cluster.until('the event is there', () => world.events(pod, 'AddedInterface').length === 1);
    const { out } = await dnet('events', 'told');
    expect(out.replace(/\d+s /, '0s ')).toBe(
      text(`
        LAST SEEN  TYPE    REASON          OBJECT    COUNT
        0s         Normal  AddedInterface  pod/told  1
            b0 on default/teal with 10.20.4.2
      `),
    );
    const { items } = JSON.parse((await dnet('events', '-o', 'json')).out);
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'Pod', name: 'told', reason: 'AddedInterface', type: 'Normal', count: 1 }),
    );
  });

  it('lists networks and who is on them', async () => {
    unused('lime', '10.20.5.0/24');
    const pod = await world.pod('web', 'lime@b0');
    await world.converged(pod, { b0: 'default/lime' });
    const { out } = await dnet('networks');
    expect(out).toContain('NAME');
    expect(out).toMatch(/^lime +bridge +host-local +10\.20\.5\.0\/24 +1 +0$/m);
    expect((await dnet('networks', 'lime')).out).toContain('    default/web b0 10.20.5.2\n');
    expect((await dnet('networks', 'none')).err).toContain('error: network default/none does not exist\n');
    const { items } = JSON.parse((await dnet('networks', 'lime', '-o', 'json')).out);
    expect(items).toEqual([
      {
        namespace: 'default',
        name: 'lime',
        type: 'bridge',
        ipam: 'host-local',
        subnets: ['10.20.5.0/24'],
        users: [{ namespace: 'default', pod: 'web', node: 'node-a', interface: 'b0', ips: ['10.20.5.2'], ready: true }],
        notReady: 0,
      },
    ]);
  });
});
