// Makes webhook configurations trust our certificate: the caBundle of each webhook in them. Configurations that are not
// installed are none of our business; what else stands in them is their author's.
import * as z from 'zod/mini';
import { KnownError } from '../model/errors.ts';
import type { ApiClient } from './api-client.ts';
import { isNotFound, toKnownWriteError } from './api-error.ts';
import { type Resource, resourcePath } from './resource.ts';

export interface WebhookConfiguration {
  readonly resource: Resource;
  readonly name: string;
}

const schema = z.object({
  webhooks: z.nullish(
    z.array(z.object({ name: z.string(), clientConfig: z.object({ caBundle: z.nullish(z.string()) }) })),
  ),
});

export const makeTrustBundle =
  (client: Pick<ApiClient, 'json'>, configurations: readonly WebhookConfiguration[]) =>
  async (bundlePem: string, signal: AbortSignal): Promise<void> => {
    const caBundle = Buffer.from(bundlePem).toString('base64');
    await Promise.all(configurations.map((one) => trustIn(client, one, caBundle, signal)));
  };

const trustIn = async (
  client: Pick<ApiClient, 'json'>,
  { resource, name }: WebhookConfiguration,
  caBundle: string,
  signal: AbortSignal,
): Promise<void> => {
  const path = resourcePath(resource, { name });
  const subject = `${resource.kind} ${name}`;
  try {
    const parsed = schema.safeParse(await client.json({ method: 'GET', path, signal }));
    if (!parsed.success) throw new KnownError('apiUnreachable', `${subject}: the answer is no webhook configuration`);
    const operations = (parsed.data.webhooks ?? []).flatMap((webhook, index) =>
      webhook.clientConfig.caBundle === caBundle
        ? []
        : [
            // Somebody may have put another webhook at this position meanwhile.
            { op: 'test', path: `/webhooks/${index}/name`, value: webhook.name },
            { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: caBundle },
          ],
    );
    if (operations.length === 0) return;
    await client.json({ method: 'PATCH', path, contentType: 'application/json-patch+json', body: operations, signal });
  } catch (error) {
    if (isNotFound(error)) return;
    throw error instanceof KnownError ? error : toKnownWriteError(error, subject);
  }
};
