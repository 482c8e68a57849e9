// The steps of the story: what is typed, and what must then be seen in the kernel, the address store and on the pod.
import { type Difference, type Expectation, findDifferences, findLeftovers } from './judge.ts';
import type { Snapshot } from './snapshot.ts';
import { NotSeenError, type Stage } from './stage.ts';
import { formatMs } from './style.ts';

export interface Step {
  readonly title: string;
  readonly play: (stage: Stage) => Promise<void>;
}

const ANNOTATION = 'k8s.v1.cni.cncf.io/networks';
const annotate = (networks: string): string => `kubectl annotate pod web --overwrite ${ANNOTATION}='${networks}'`;

/** Shows the command and carries it out; another exit code than the expected one ends the story. */
export const type = async (stage: Stage, line: string, { exits = 0, signal }: TypeOptions = {}): Promise<void> => {
  stage.printer.command(line);
  const code = await stage.carryOut(line, signal);
  if (code === exits || signal?.aborted === true) return;
  throw new NotSeenError(`exit code of the command`, [{ expected: String(exits), seen: String(code) }]);
};

interface TypeOptions {
  readonly exits?: number;
  readonly signal?: AbortSignal;
}

interface Edit {
  readonly commands: readonly (readonly [line: string, exits?: number])[];
  /** Interface by network. */
  readonly has: Readonly<Record<string, string>>;
  readonly ready?: 'True' | 'False';
  /** Interfaces that must not even flicker. */
  readonly keeps?: readonly string[];
  readonly event?: readonly [reason: string, part: string];
  /** From when the time is told. */
  readonly since?: string;
}

/** Watches while the commands run, so that the time told is that of the agent. */
export const playEdit = async (stage: Stage, edit: Edit): Promise<void> => {
  const since = stage.look();
  const attachments = Object.entries(edit.has).map(([name, network]) => ({ interface: name, network }));
  const kept = { names: ['eth0', ...(edit.keeps ?? [])], since };
  const expectation: Expectation = { attachments, ready: edit.ready ?? 'True', ...(since.pod && { kept }) };
  const wanted = attachments.map((each) => `${each.interface} on ${each.network}`).join(', ') || 'nothing';
  const failure = new AbortController();
  const seen = stage.reach(`the pod has ${wanted}, NetworksReady=${expectation.ready}`, (now) => [
    ...findDifferences(now, expectation),
    ...eventDifferences(now, since, edit.event),
  ]);
  seen.catch(() => failure.abort());
  for (const [line, exits = 0] of edit.commands) await type(stage, line, { exits, signal: failure.signal });
  const ms = await seen;
  const { since: start = 'the edit' } = edit;
  stage.printer.good(`kernel and address store agree ${formatMs(ms)} after ${start}: ${linksOf(stage.look())}`);
};

const eventDifferences = (now: Snapshot, since: Snapshot, event: Edit['event']): Difference[] => {
  if (event === undefined) return [];
  const [reason, part] = event;
  const known = new Set(since.events.map(({ uid }) => uid));
  const fresh = now.events.filter((each) => each.reason === reason && !known.has(each.uid));
  if (fresh.some(({ message }) => message.includes(part))) return [];
  const seen = fresh.map(({ message }) => message).join('; ') || `no new event ${reason}`;
  return [{ expected: `event ${reason} with "${part}"`, seen }];
};

export const linksOf = ({ rows }: Snapshot): string =>
  rows.flatMap(({ name, kernel }) => (kernel ? [`${name}=${kernel.addresses.join('+')}`] : [])).join(', ') || 'nothing';

export const startPod: Step = {
  title: 'A pod runs with only its default network, and there are networks',
  play: async (stage) => {
    await playEdit(stage, { commands: [['kubectl run web --image=busybox']], has: {}, since: 'that' });
    await type(stage, 'kubectl dnet networks -A');
    await checkPage(stage);
  },
};

/** The same page, from the same program; it is there until the demo ends. */
const checkPage = async (stage: Stage): Promise<void> => {
  stage.printer.command('kubectl dnet ui');
  const url = await stage.openPage();
  stage.printer.lines([url]);
  const { status } = await fetch(url);
  if (status !== 200) throw new NotSeenError('the page', [{ expected: 'HTTP 200', seen: `HTTP ${status}` }]);
  stage.printer.good('the live page answers, until the demo ends: open it and watch');
};

export const plugOne: Step = {
  title: 'Plug an interface into the running pod',
  play: (stage) =>
    playEdit(stage, {
      commands: [['kubectl dnet plug web blue --interface net1 --wait'], ['kubectl dnet status web']],
      has: { net1: 'default/blue' },
      event: ['AddedInterface', 'net1 on default/blue'],
    }),
};

export const plugTwoMore: Step = {
  title: 'Plug two more; net1 is not touched',
  play: async (stage) => {
    const storage = { net1: 'default/blue', data0: 'infra/storage' };
    await playEdit(stage, {
      commands: [['kubectl dnet plug web infra/storage --interface data0 --wait']],
      has: storage,
      keeps: ['net1'],
      event: ['AddedInterface', 'data0 on infra/storage'],
    });
    await playEdit(stage, {
      commands: [['kubectl dnet plug web red --wait'], ['kubectl dnet status web']],
      has: { ...storage, net2: 'default/red' },
      keeps: ['net1', 'data0'],
      event: ['AddedInterface', 'net2 on default/red'],
    });
  },
};

export const moveName: Step = {
  title: 'The annotation can be edited by hand, too: see before you do, then move a name',
  play: async (stage) => {
    const networks = 'blue@net1, green@data0, red';
    await type(stage, `kubectl dnet plan web -f - <<< '${networks}'`, { exits: 1 });
    await playEdit(stage, {
      commands: [[annotate(networks)], ['kubectl dnet wait web']],
      has: { net1: 'default/blue', data0: 'default/green', net2: 'default/red' },
      keeps: ['net1', 'net2'],
      event: ['ReplacedInterface', 'data0 on default/green'],
    });
  },
};

export const unplugOne: Step = {
  title: 'Unplug one',
  play: (stage) =>
    playEdit(stage, {
      commands: [['kubectl dnet unplug web net1 --wait']],
      has: { data0: 'default/green', net2: 'default/red' },
      keeps: ['data0', 'net2'],
      event: ['RemovedInterface', 'net1 from default/blue'],
    }),
};

export const badEdit: Step = {
  title: 'A mistake harms nothing',
  play: async (stage) => {
    stage.printer.say('Two elements want the same interface name.');
    await playEdit(stage, {
      commands: [[annotate('green@data0, red, blue@data0')], ['kubectl dnet wait web', 1]],
      has: { data0: 'default/green', net2: 'default/red' },
      ready: 'False',
      keeps: ['data0', 'net2'],
      event: ['InvalidNetworks', 'data0'],
    });
    stage.printer.say('Nothing was lost. The next good edit heals it:');
    await playEdit(stage, {
      commands: [[annotate('green@data0, red, blue@uplink0')], ['kubectl dnet wait web']],
      has: { data0: 'default/green', net2: 'default/red', uplink0: 'default/blue' },
      keeps: ['data0', 'net2'],
      event: ['AddedInterface', 'uplink0 on default/blue'],
    });
  },
};

export const deletePod: Step = {
  title: 'The pod is deleted: every address comes back',
  play: async (stage) => {
    await type(stage, 'kubectl dnet events web');
    await type(stage, 'kubectl delete pod web');
    const ms = await stage.reach('the pod is gone and no address is in use', findLeftovers);
    await type(stage, 'kubectl dnet status');
    stage.printer.good(`no address in use ${formatMs(ms)} after the deletion`);
  },
};
