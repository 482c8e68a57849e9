// The steps of the story in which a person edits the annotation and the agent follows.
import type { Expectation, WantedAttachment } from './judge.ts';
import { findDifferences } from './judge.ts';
import type { Snapshot } from './snapshot.ts';
import { demoPod, type Stage } from './stage.ts';

export interface Step {
  readonly title: string;
  /** What the time it took is told of; `Ready` if absent. */
  readonly verdict?: string;
  /** Says how long the last thing that it promised took. */
  readonly play: (stage: Stage) => Promise<number>;
}

/** `net1` → `default/blue` and so on. */
export const attachments = (byName: Readonly<Record<string, string>>): WantedAttachment[] =>
  Object.entries(byName).map(([name, network]) => ({ interface: name, network }));

export const reachNetworks = (stage: Stage, expectation: Expectation): Promise<number> => {
  const wanted = expectation.attachments.map((each) => `${each.interface} on ${each.network}`).join(', ') || 'nothing';
  return stage.reach(`the pod has ${wanted}, NetworksReady=${expectation.ready}`, (snapshot) =>
    findDifferences(snapshot, expectation),
  );
};

interface Edit {
  readonly networks: string;
  readonly has: Readonly<Record<string, string>>;
  /** Interfaces that must not even flicker. */
  readonly keeps: readonly string[];
  readonly event: readonly [reason: string, part: string];
}

const playEdit = async (stage: Stage, { networks, has, keeps, event }: Edit): Promise<number> => {
  const since: Snapshot = stage.follower.flush();
  stage.edit(networks);
  const kept = { names: ['eth0', ...keeps], since };
  const ms = await reachNetworks(stage, { attachments: attachments(has), ready: 'True', kept });
  await stage.reachEvent(...event);
  return ms;
};

export const startPod: Step = {
  title: 'A pod runs with only its default network',
  verdict: 'running',
  play: async (stage) => {
    stage.command(`kubectl run ${demoPod.name} --image=busybox`);
    stage.follower.restartClock();
    await stage.cluster.createPod(demoPod);
    return reachNetworks(stage, { attachments: [], ready: 'True' });
  },
};

export const plugOne: Step = {
  title: 'Plug one interface (JSON form)',
  play: (stage) =>
    playEdit(stage, {
      networks: '[{"name":"blue","interface":"net1"}]',
      has: { net1: 'default/blue' },
      keeps: [],
      event: ['AddedInterface', 'net1 on default/blue'],
    }),
};

export const plugTwoMore: Step = {
  title: 'Plug two more (short form)',
  play: (stage) => {
    stage.say('One gets a name and comes from another namespace, one is named by the agent; net1 is not touched.');
    return playEdit(stage, {
      networks: 'blue@net1, infra/storage@data0, red',
      has: { net1: 'default/blue', data0: 'infra/storage', net2: 'default/red' },
      keeps: ['net1'],
      event: ['AddedInterface', 'data0 on infra/storage'],
    });
  },
};

export const moveName: Step = {
  title: 'Move an interface name to another network',
  play: (stage) => {
    stage.say('data0 leaves infra/storage for green: removed first, then plugged again under the same name.');
    return playEdit(stage, {
      networks: 'blue@net1, green@data0, red',
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
      networks: 'green@data0, red',
      has: { data0: 'default/green', net2: 'default/red' },
      keeps: ['data0', 'net2'],
      event: ['RemovedInterface', 'net1 from default/blue'],
    }),
};

export const badEdit: Step = {
  title: 'A typing error harms nothing, and the next good edit heals it',
  play: async (stage) => {
    const before = { data0: 'default/green', net2: 'default/red' };
    const since = stage.follower.flush();
    const kept = { names: ['eth0', 'data0', 'net2'], since };
    stage.say('This interface name is longer than the 15 bytes that the kernel takes.');
    stage.edit('green@data0, red, blue@a-much-too-long-name');
    await reachNetworks(stage, { attachments: attachments(before), ready: 'False', kept });
    await stage.reachEvent('InvalidNetworks', 'a-much-too-long-name');
    stage.succeed('refused, and nothing was lost');
    stage.show();
    await stage.pause();
    stage.say('The same edit with a name that fits:');
    return playEdit(stage, {
      networks: 'green@data0, red, blue@uplink0',
      has: { ...before, uplink0: 'default/blue' },
      keeps: ['data0', 'net2'],
      event: ['AddedInterface', 'uplink0 on default/blue'],
    });
  },
};
