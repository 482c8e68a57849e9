// Asks a webhook over HTTPS, as the API server does: it verifies the certificate against the caBundle and the name of the
// Service, tells how long it waits, and keeps connections open.

import { randomUUID } from 'node:crypto';
import { Agent, request as requestHttps } from 'node:https';
import { isRecord, type JsonRecord } from '../frozen-json.ts';
import type { Webhook, WebhookService } from './webhook.ts';
import type { AdmissionQuestion } from './webhook-match.ts';

/** Where the Service of a webhook is reached, as kube-proxy would know it: `host:port`. Asked for every request. */
export type ResolveService = (service: WebhookService) => string;

export interface WebhookAnswer {
  isAllowed: boolean;
  status: JsonRecord;
  warnings: string[];
  patch: unknown;
}

export class WebhookClient {
  readonly #resolve: ResolveService;
  readonly #agents = new Map<string, Agent>();

  constructor(resolve: ResolveService) {
    this.#resolve = resolve;
  }

  async ask(webhook: Webhook, question: AdmissionQuestion): Promise<WebhookAnswer> {
    const uid = randomUUID();
    const text = await this.#post(webhook, JSON.stringify(reviewOf(uid, question)));
    const review: unknown = JSON.parse(text);
    const response = isRecord(review) && isRecord(review['response']) ? review['response'] : undefined;
    if (response === undefined || response['uid'] !== uid)
      throw new Error(`expected response.uid=${JSON.stringify(uid)}`);
    const { allowed, status, warnings, patch } = response;
    return {
      isAllowed: allowed === true,
      status: isRecord(status) ? status : {},
      warnings: Array.isArray(warnings) ? warnings.map(String) : [],
      patch: typeof patch === 'string' ? JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) : undefined,
    };
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #post(webhook: Webhook, body: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const place = this.#placeOf(webhook);
    const timeoutMs = webhook.timeoutSeconds * 1000;
    const outgoing = requestHttps(
      {
        ...place,
        method: 'POST',
        path: `${place.path}?timeout=${webhook.timeoutSeconds}s`,
        agent: this.#agentOf(webhook),
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        signal: AbortSignal.timeout(timeoutMs),
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          if (answer.statusCode === 200) resolve(text);
          else reject(new Error(`the webhook answered ${answer.statusCode}: ${text.trim()}`));
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
    return promise;
  }

  #placeOf({ target }: Webhook): { host: string; port: number; path: string; servername: string } {
    if ('url' in target) {
      const url = new URL(target.url);
      return { host: url.hostname, port: Number(url.port || 443), path: url.pathname, servername: url.hostname };
    }
    const [host = '', port] = this.#resolve(target).split(':');
    return { host, port: Number(port), path: target.path, servername: `${target.name}.${target.namespace}.svc` };
  }

  #agentOf({ name, caBundle }: Webhook): Agent {
    const key = `${name}\n${caBundle}`;
    const agent = this.#agents.get(key) ?? new Agent({ keepAlive: true, ca: caBundle });
    this.#agents.set(key, agent);
    return agent;
  }
}

function reviewOf(uid: string, question: AdmissionQuestion): unknown {
  const { operation, definition, subresource, namespace, object, oldObject, user } = question;
  const { group, version, kind, plural } = definition;
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind: { group, version, kind },
      resource: { group, version, resource: plural },
      ...(subresource === undefined ? {} : { subResource: subresource }),
      requestKind: { group, version, kind },
      requestResource: { group, version, resource: plural },
      name: object.metadata.name ?? '',
      namespace: namespace ?? '',
      operation,
      userInfo: user,
      object,
      oldObject: oldObject ?? null,
      dryRun: false,
    },
  };
}
