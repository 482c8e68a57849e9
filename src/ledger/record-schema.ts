// The shape of a ledger file. A file that does not have it is corrupt: it is set aside, never guessed at.
import * as z from 'zod/mini';
import type { AttachmentRecord, PodRecord } from '../model/attachment-record.ts';
import { findNetworkName, type NetworkName } from '../model/keys.ts';

const text = z.string();

const attachment = z.object({
  interface: text,
  network: z.custom<NetworkName>((value) => typeof value === 'string' && findNetworkName(value) === value),
  state: z.enum(['adding', 'added', 'removing', 'removed']),
  containerId: text,
  netns: text,
  config: text,
  attributes: z.object({
    ips: z.optional(z.array(text)),
    mac: z.optional(text),
  }),
  request: text,
  entries: z.array(z.looseObject({ name: text })),
  deviceId: z.optional(text),
  unsettledUntilMs: z.optional(z.number()),
});

const podRecord = z.object({
  version: z.literal(1),
  namespace: text,
  name: text,
  uid: text,
  sandboxMark: text,
  attachments: z.array(attachment),
  leftovers: z.optional(z.array(attachment)),
});

/**
 * The last state that a file tells: a line each, the newest last. What stands behind the last line break was cut off while it was
 * being written, and nothing was done on the strength of it. A file that somebody wrote by hand is one state, as it likes to look.
 */
export const parsePodFile = (text: string): PodRecord => {
  const [last = text] = text.split('\n').slice(0, -1).slice(-1);
  return parsePodRecord(isJson(text) ? text : last);
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const parsePodRecord = (json: string): PodRecord => {
  const { attachments, leftovers, ...pod } = podRecord.parse(JSON.parse(json));
  return {
    ...pod,
    attachments: attachments.map(toAttachment),
    ...(leftovers !== undefined && { leftovers: leftovers.map(toAttachment) }),
  };
};

/** Optional fields are absent, not undefined, in the model. */
const toAttachment = ({
  unsettledUntilMs,
  deviceId,
  attributes,
  ...rest
}: z.infer<typeof attachment>): AttachmentRecord => ({
  ...rest,
  attributes: Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)),
  ...(deviceId !== undefined && { deviceId }),
  ...(unsettledUntilMs !== undefined && { unsettledUntilMs }),
});
