import { type Claim, viewClaim } from '../../ipam/claim.ts';
import type { NetworkSource } from '../../ipam/network-table.ts';
import { viewNetworkDefinition } from '../../kube/network-definition-view.ts';
import { isJsonObject } from '../../model/json.ts';
import { findObjects, type Reader } from './read-objects.ts';
import { CLAIMS, NETWORKS } from './resources.ts';

/** Undefined when the cluster has no IPAMClaims. */
export const findClaims = async (
  reader: Reader,
  namespace: string | undefined,
): Promise<readonly Claim[] | undefined> =>
  (await findObjects(reader, CLAIMS, { namespace }))?.flatMap((object) => viewClaim(object) ?? []);

/** All NetworkAttachmentDefinitions, with their age: of two that contradict each other the older one counts. */
export const listNetworkSources = async (reader: Reader): Promise<readonly NetworkSource[]> =>
  ((await findObjects(reader, NETWORKS)) ?? []).flatMap((object) => {
    const seen = viewNetworkDefinition(object);
    const metadata = isJsonObject(object) && isJsonObject(object['metadata']) ? object['metadata'] : {};
    const createdAt = String(metadata['creationTimestamp'] ?? '');
    return seen === undefined ? [] : [{ network: seen.network, config: seen.config, createdAt }];
  });
