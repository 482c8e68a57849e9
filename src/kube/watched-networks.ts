// The cluster's NetworkAttachmentDefinitions, as the agent's port wants them.
import { KnownError } from '../model/errors.ts';
import type { NetworkName } from '../model/keys.ts';
import type { NetworkDefinition } from '../model/network-definition.ts';
import type { ApiClient } from './api-client.ts';
import { isNotFound } from './api-error.ts';
import {
  definitionPath,
  NAD_GROUP_PATH,
  type VersionedDefinition,
  viewNetworkDefinition,
} from './network-definition-view.ts';
import { Reflector } from './reflector.ts';

export interface WatchedNetworksOptions {
  readonly client: ApiClient;
  readonly onChange: (network: NetworkName) => void;
  readonly onError: (error: unknown, nextTryMs: number) => void;
}

export class WatchedNetworks {
  readonly #client: ApiClient;
  readonly reflector: Reflector<VersionedDefinition>;

  constructor({ client, onChange, onError }: WatchedNetworksOptions) {
    this.#client = client;
    this.reflector = new Reflector<VersionedDefinition>({
      client,
      path: `${NAD_GROUP_PATH}/network-attachment-definitions`,
      view: viewNetworkDefinition,
      keyOf: ({ network }) => network,
      onChange: (key) => onChange(key as NetworkName),
      onError,
      isOptional: true,
    });
  }

  find(network: NetworkName): NetworkDefinition | undefined {
    return this.reflector.find(network);
  }

  /** The watch may be a moment behind a definition that was just created: asks the server before saying that there is none. */
  async fetch(network: NetworkName, signal: AbortSignal): Promise<NetworkDefinition | undefined> {
    try {
      return this.reflector.accept(await this.#client.json({ method: 'GET', path: definitionPath(network), signal }));
    } catch (cause) {
      if (isNotFound(cause)) return undefined;
      const detail = cause instanceof Error ? cause.message : String(cause);
      throw new KnownError('apiUnreachable', `NetworkAttachmentDefinition ${network} cannot be read: ${detail}`, {
        cause,
      });
    }
  }
}
