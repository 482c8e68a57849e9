// What /delegate answers to an ADD: {"Result": CNI result}. Anything else is an answer that cannot be trusted.
import * as z from 'zod/mini';
import type { CniResult } from '../model/cni-result.ts';

/** Go writes null for an empty list, and leaves empty fields out. */
const listOf = <T extends z.ZodMiniType>(item: T) => z.optional(z.nullable(z.array(item)));

const dns = z.object({
  nameservers: listOf(z.string()),
  domain: z.optional(z.nullable(z.string())),
  search: listOf(z.string()),
  options: listOf(z.string()),
});

export const cniResult = z.object({
  interfaces: listOf(
    z.object({
      name: z.string(),
      mac: z.optional(z.string()),
      mtu: z.optional(z.number()),
      sandbox: z.optional(z.string()),
      pciID: z.optional(z.string()),
    }),
  ),
  ips: listOf(
    z.object({
      address: z.string(),
      gateway: z.optional(z.nullable(z.string())),
      interface: z.optional(z.nullable(z.number())),
    }),
  ),
  routes: listOf(z.object({ dst: z.string(), gw: z.optional(z.nullable(z.string())) })),
  dns: z.optional(z.nullable(dns)),
});

const reply = z.object({ Result: z.optional(z.nullable(cniResult)) });

/** An empty result is sound: some plugins make no interface of their own. Throws when the text is no such reply. */
export const parseAddReply = (text: string): CniResult =>
  resultOf(reply.parse(text.trim() === '' ? {} : JSON.parse(text)).Result);

/** Nothing at all counts as an empty result. */
export const resultOf = (given: z.infer<typeof cniResult> | null | undefined): CniResult => {
  const { interfaces, ips, routes, dns: servers } = given ?? {};
  return {
    interfaces: interfaces ?? [],
    ips: (ips ?? []).map(({ address, gateway, interface: index }) => ({
      address,
      ...(gateway && { gateway }),
      ...(index != null && { interface: index }),
    })),
    routes: (routes ?? []).map(({ dst, gw }) => (gw == null ? { dst } : { dst, gw })),
    dns: Object.fromEntries(Object.entries(servers ?? {}).filter(([, value]) => value?.length)),
  };
};
