// Waits until kinds can be used that were just defined. `kubectl wait` alone fails on a definition that has no conditions yet.
import { pollUntil } from './cluster/poll-until.ts';
import type { Kubectl } from './target.ts';

const deadlineMs = 60_000;

export const waitForCrds = (kubectl: Kubectl, crds: readonly string[]): Promise<true> => {
  const areEstablished = async () => {
    const names = crds.map((crd) => `crd/${crd}`);
    const { exitCode } = await kubectl.try(['wait', '--for=condition=Established', ...names, '--timeout=10s']);
    return exitCode === 0 ? (true as const) : undefined;
  };
  return pollUntil(`${crds.join(', ')} to be established`, areEstablished, { deadlineMs });
};
