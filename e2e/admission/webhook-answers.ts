// Whether a webhook is asked and answers, from wherever the API server's connections end up.
import { pollUntil } from '../cluster/poll-until.ts';
import { podSpec } from '../pods.ts';
import type { Kubectl } from '../target.ts';

/** Two replicas: one that is gone would be met among so many. */
const inARow = 6;
const deadlineMs = 120_000;

export type AskedAbout = {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};

/** After a rollout connections still go to replicas that have ended, until every proxy has heard of it: a refusal is an answer, too. */
export const untilWebhookAnswers = async (kubectl: Kubectl, metadata: AskedAbout): Promise<void> => {
  const manifest = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'asked-about', namespace: 'default', ...metadata },
    spec: podSpec('none', {}),
  });
  const ask = () =>
    kubectl
      .run(['create', '--dry-run=server', '-f', '-'], manifest)
      .catch((error: Error) => error.message.includes('denied the request') || Promise.reject(error));
  const answers = async (): Promise<true> => {
    for (let count = 0; count < inARow; count += 1) await ask();
    return true;
  };
  await pollUntil('the webhook to answer', answers, { deadlineMs });
};
