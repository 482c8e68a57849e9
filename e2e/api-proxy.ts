// `kubectl proxy` to a cluster that is not of the harness: it knows every way in which a kubeconfig can say who one is.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Target } from './target.ts';

/** It says where it listens in its first line. */
const greeting = /^Starting to serve on (?<address>\S+)$/;

export const startApiProxy = async ({
  kubectlPath,
  kubeconfigPath,
}: Pick<Target, 'kubectlPath' | 'kubeconfigPath'>): Promise<{ readonly apiUrl: string; readonly stop: () => void }> => {
  const child = spawn(kubectlPath, ['--kubeconfig', kubeconfigPath, 'proxy', '--port=0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  const firstLine = async (): Promise<string> => {
    for await (const line of createInterface({ input: child.stdout })) return line;
    return '';
  };
  const line = await Promise.race([firstLine(), failed]);
  const address = greeting.exec(line)?.groups?.['address'];
  if (address === undefined) throw new Error(`kubectl proxy: expected to be told where it listens, got "${line}"`);
  return { apiUrl: `http://${address}`, stop: () => child.kill() };
};
