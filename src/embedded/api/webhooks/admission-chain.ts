// What the webhooks say to a write: mutating ones after each other, then validating ones together. A small part of the real
// thing: no reinvocation, no matchPolicy Equivalent, match conditions by name instead of CEL.

import { ApiError, badRequest } from '../api-error.ts';
import { applyJsonPatch } from '../json-patch.ts';
import type { MemoryObjectStore } from '../memory-object-store.ts';
import { isKubeObject } from '../object-shape.ts';
import type { KubeObject } from '../object-store.ts';
import type { ResourceTarget } from '../request-target.ts';
import { configurationResources, type Webhook, webhooksOf } from './webhook.ts';
import { type ResolveService, type WebhookAnswer, WebhookClient } from './webhook-client.ts';
import { type AdmissionQuestion, isAsked, type MatchCondition, type UserInfo } from './webhook-match.ts';

export interface WebhookOptions {
  resolveService: ResolveService;
  matchConditions?: Readonly<Record<string, MatchCondition>>;
  /** Who a bearer token is; without an entry, a user called as the token. */
  users?: Readonly<Record<string, UserInfo>>;
  /** How long each answer took, for measurements. */
  onAnswer?: (webhook: string, durationMs: number) => void;
}

export interface Admitted {
  object: KubeObject;
  warnings: string[];
}

export class AdmissionChain {
  readonly #store: MemoryObjectStore;
  readonly #options: WebhookOptions;
  readonly #client: WebhookClient;

  constructor(store: MemoryObjectStore, options: WebhookOptions) {
    this.#store = store;
    this.#options = options;
    this.#client = new WebhookClient(options.resolveService);
  }

  /** Whether any webhook could have something to say: all others are written without a pause between reading and writing. */
  isConcerned({ definition, verb }: ResourceTarget): boolean {
    if (!['create', 'update', 'patch'].includes(verb)) return false;
    return this.#webhooks().some(({ rules }) =>
      rules.some(({ resources }) => resources.some((resource) => resource.split('/')[0] === definition.plural)),
    );
  }

  userOf(token: string): UserInfo {
    return this.#options.users?.[token] ?? { username: token, groups: ['system:authenticated'] };
  }

  async admit(question: AdmissionQuestion): Promise<Admitted> {
    const warnings: string[] = [];
    let object = question.object;
    for (const webhook of this.#asked('mutating', question)) {
      const answer = await this.#ask(webhook, { ...question, object });
      warnings.push(...(answer?.warnings ?? []));
      if (answer?.patch !== undefined) object = patched(object, answer.patch);
    }
    const judged = { ...question, object };
    const answers = await Promise.all(this.#asked('validating', judged).map((webhook) => this.#ask(webhook, judged)));
    warnings.push(...answers.flatMap((answer) => answer?.warnings ?? []));
    return { object, warnings };
  }

  close(): void {
    this.#client.close();
  }

  #webhooks(): Webhook[] {
    return (['mutating', 'validating'] as const).flatMap((kind) =>
      this.#store.list(configurationResources[kind]).flatMap((configuration) => webhooksOf(kind, configuration)),
    );
  }

  #asked(kind: Webhook['kind'], question: AdmissionQuestion): Webhook[] {
    const context = {
      conditions: this.#options.matchConditions ?? {},
      namespaceLabels: (name: string) => ({
        ...this.#store.find({ resource: 'namespaces', name })?.metadata.labels,
        'kubernetes.io/metadata.name': name,
      }),
    };
    return this.#webhooks().filter((webhook) => webhook.kind === kind && isAsked(webhook, question, context));
  }

  /** Undefined when the webhook failed and that is to be ignored. Throws what the client is to be told when it refused. */
  async #ask(webhook: Webhook, question: AdmissionQuestion): Promise<WebhookAnswer | undefined> {
    let answer: WebhookAnswer;
    const askedAt = performance.now();
    try {
      answer = await this.#client.ask(webhook, question);
      this.#options.onAnswer?.(webhook.name, performance.now() - askedAt);
    } catch (error) {
      if (webhook.isFailureIgnored) return undefined;
      const detail = error instanceof Error ? error.message : String(error);
      throw new ApiError(
        500,
        'InternalError',
        `Internal error occurred: failed calling webhook ${JSON.stringify(webhook.name)}: failed to call webhook: ${detail}`,
      );
    }
    if (answer.isAllowed) return answer;
    throw refusalOf(webhook, answer);
  }
}

function refusalOf({ name }: Webhook, { status }: WebhookAnswer): ApiError {
  const message = `admission webhook ${JSON.stringify(name)} denied the request`;
  const detail = typeof status['message'] === 'string' ? `: ${status['message']}` : ' without explanation';
  const code = Number(status['code'] ?? 0);
  if (code < 400) return badRequest(message + detail);
  const details = typeof status['details'] === 'object' && status['details'] !== null ? status['details'] : {};
  return new ApiError(code, String(status['reason'] ?? ''), message + detail, details);
}

function patched(object: KubeObject, patch: unknown): KubeObject {
  const result = applyJsonPatch(object, patch);
  if (!isKubeObject(result)) throw new ApiError(500, 'InternalError', 'the patch of a webhook leaves no object');
  return result;
}
