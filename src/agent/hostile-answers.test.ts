// The whole reconcile in a world that answers with garbage: the config of a network, the container runtime and Multus. What
// exists must stay, and the element that is asked for is either plugged or complained about. The adapters are the real ones.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  ListContainersResponse,
  ListPodSandboxResponse,
  PodSandboxState,
  PodSandboxStatusResponse,
} from '../../cri/generated/runtime.ts';
import { SandboxLookup } from '../../cri/sandbox-lookup.ts';
import { DelegateClient } from '../multus/delegate-client.ts';
import { hostileText, RUNS } from '../test-hostile.ts';
import { agentFor, podWith } from './test-lone-pod.ts';

const soundConfig = { cniVersion: '0.3.1', name: 'n', type: 'bridge', ipam: { type: 'host-local' } };
const soundAnswer = {
  Result: {
    interfaces: [{ name: 'br0' }, { name: 'x0', mac: '02:00:00:00:00:01', sandbox: '/run/netns/1' }],
    ips: [{ address: '10.0.0.5/24', interface: 1 }],
    dns: {},
  },
};
const soundInfo = { runtimeSpec: { linux: { namespaces: [{ type: 'network', path: '/run/netns/1' }] } } };

/** Most are sound, so that garbage of one kind gets as far as it can. */
const mostly = (sound: object, hostile: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(JSON.stringify(sound)) }, { weight: 3, arbitrary: hostile });

const worlds = fc.record({
  config: mostly(soundConfig, hostileText(soundConfig)),
  info: mostly(soundInfo, hostileText(soundInfo)),
  answer: mostly(soundAnswer, hostileText(soundAnswer)),
  statusCode: fc.constantFrom(200, 200, 200, 400, 500),
});
type HostileWorld = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

let dir: string;
let present: HostileWorld;
let asked: string[];
let multus: DelegateClient;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { env } = JSON.parse(Buffer.concat(chunks).toString());
    asked.push(`${env.CNI_COMMAND} ${env.CNI_IFNAME}`);
    response.writeHead(present.statusCode).end(present.answer);
  });
});

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hostile-'));
  const socketPath = join(dir, 'multus.sock');
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  multus = new DelegateClient({ socketPath, timeoutMs: 10_000, maxConnections: 8 });
});
afterAll(async () => {
  multus.close();
  server.close();
  await rm(dir, { recursive: true });
});

const sandbox = {
  id: 'sandbox-1',
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-1', attempt: 0 },
  state: PodSandboxState.SANDBOX_READY,
  createdAt: 1n,
};

const runtimeOf = ({ info }: HostileWorld): ConstructorParameters<typeof SandboxLookup>[0]['runtime'] => ({
  listReadySandboxes: async () => ListPodSandboxResponse.fromPartial({ items: [sandbox] }),
  sandboxStatus: async () => PodSandboxStatusResponse.fromPartial({ status: sandbox, info: { info } }),
  listContainers: async () => ListContainersResponse.fromPartial({}),
  containerStatus: async () => undefined,
});

it('garbage instead of a config, a sandbox or a result removes nothing, and is always told of', {
  timeout: 600_000,
}, async () => {
  const seen = { plugged: 0, complained: 0 };
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      present = world;
      asked = [];
      const agent = agentFor(podWith('blue@net1,red@data0,green@x0'), {
        networks: { find: (network) => ({ network, config: world.config }), fetch: async () => undefined },
        sandboxes: new SandboxLookup({ runtime: runtimeOf(world) }),
        delegate: multus,
      });
      await agent.reconcile();
      expect(asked.filter((command) => !command.endsWith(' x0'))).toEqual([]);
      expect(agent.commands).toEqual([]);
      const reports = agent.changes.flatMap(({ reports: written = [] }) => written);
      expect(reports.filter(({ interface: name, ready }) => name !== 'x0' && !ready)).toEqual([]);
      const isPlugged = reports.some(({ interface: name, ready }) => name === 'x0' && ready);
      const told = agent.events.map(({ type, reason, message }) => `${type} ${reason} ${message !== ''}`);
      if (isPlugged) {
        seen.plugged += 1;
        expect(told).toEqual(['Normal AddedInterface true']);
      } else {
        seen.complained += 1;
        expect(told).toEqual([expect.stringMatching(/^Warning \w+ true$/)]);
      }
    }),
    RUNS,
  );
  expect(seen.plugged).toBeGreaterThan(500);
  expect(seen.complained).toBeGreaterThan(2000);
});
