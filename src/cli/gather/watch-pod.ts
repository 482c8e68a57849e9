// Waits for a pod to become what somebody wants, by a watch of that one pod.
import { Reflector } from '../../kube/reflector.ts';
import { CliError } from '../cli-error.ts';
import type { Verdict } from '../logic/wait-verdict.ts';
import type { Session } from '../session.ts';
import { type ClusterPod, viewClusterPod } from './cluster-pod.ts';
import { collectionPath, PODS } from './resources.ts';

export interface WaitOptions {
  readonly namespace: string;
  readonly name: string;
  readonly what: string;
  readonly timeoutMs: number;
  readonly judge: (pod: ClusterPod | undefined) => Verdict;
}

const PROGRESS_EVERY_MS = 500;

/** Resolves when it is met; throws a CliError when it cannot be, or not within the time. */
export const waitForPod = async (session: Session, options: WaitOptions): Promise<void> => {
  const { namespace, name, what, timeoutMs } = options;
  const { promise, resolve } = Promise.withResolvers<void>();
  const startedAt = session.now();
  let verdict: Verdict = { kind: 'waiting', why: 'the API server has not answered yet' };
  const look = () => {
    verdict = options.judge(reflector.find(`${namespace}/${name}`));
    if (verdict.kind !== 'waiting') resolve();
  };
  const reflector = new Reflector<ClusterPod>({
    client: session.client,
    path: collectionPath(PODS, namespace),
    query: { fieldSelector: `metadata.name=${name}` },
    view: viewClusterPod,
    keyOf: ({ pod }) => pod.key,
    onChange: look,
  });
  const timer = setTimeout(resolve, timeoutMs);
  const progress = setInterval(() => {
    const seconds = Math.round((session.now() - startedAt) / 1000);
    session.terminal.progress(
      `waiting until ${what} … ${seconds}s${verdict.kind === 'waiting' ? ` (${verdict.why})` : ''}`,
    );
  }, PROGRESS_EVERY_MS);
  session.signal.addEventListener('abort', () => resolve(), { once: true });
  reflector.start();
  void reflector.synced.then(look);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    clearInterval(progress);
    session.terminal.progress('');
    await reflector.stop();
  }
  session.signal.throwIfAborted();
  settle(verdict, options);
};

const settle = (verdict: Verdict, { namespace, name, what, timeoutMs }: WaitOptions): void => {
  if (verdict.kind === 'met') return;
  if (verdict.kind === 'hopeless') throw new CliError(`waiting until ${what} is in vain: ${verdict.why}`, verdict.next);
  throw new CliError(
    `not within ${timeoutMs / 1000} s: ${what}; ${verdict.why}`,
    `kubectl dnet events ${name} -n ${namespace} and kubectl dnet doctor say more; --timeout waits longer`,
  );
};
