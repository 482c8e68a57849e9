// kubectl dnet wait: for scripts that go on when the networks are there.
import { UsageError } from '../cli-error.ts';
import type { AddCommand } from '../command-host.ts';
import { getPod } from '../gather/cluster-pod.ts';
import { waitForPod } from '../gather/watch-pod.ts';
import { parseDuration } from '../logic/duration.ts';
import { type Goal, judge } from '../logic/wait-verdict.ts';

const isGoal = (text: string): text is Goal => text === 'ready' || text === 'gone';

export const addWait: AddCommand = ({ program, run }) => {
  const command = program
    .command('wait')
    .summary('wait until interfaces of a pod are ready, or gone')
    .description('Waits until interfaces of a pod are ready (all that it asks for, if none is named), or gone.')
    .argument('<POD>')
    .argument('[INTERFACE...]', 'names of interfaces in the pod')
    .option('--for <STATE>', 'ready or gone', 'ready')
    .option('--timeout <DURATION>', 'how long to wait', '60s');
  run(command, async (session) => {
    const [name = '', ...interfaces] = command.args;
    const { for: goal, timeout } = command.opts<{ for: string; timeout: string }>();
    if (!isGoal(goal)) throw new UsageError(`--for "${goal}" must be ready or gone`);
    const timeoutMs = parseDuration(timeout, '--timeout');
    await getPod(session, session.namespace, name);
    const subject = interfaces.length === 0 ? 'all interfaces' : interfaces.join(', ');
    const what = `${subject} of ${name} ${interfaces.length === 1 ? 'is' : 'are'} ${goal}`;
    await waitForPod(session, {
      namespace: session.namespace,
      name,
      what,
      timeoutMs,
      judge: (pod) => judge(pod, goal, interfaces),
    });
    session.terminal.print(`pod/${name}: ${subject} ${goal}`);
    return undefined;
  });
};
