// Which of the design's fields the installed CustomResourceDefinitions have. The API server silently drops a field that its
// schema lacks; what would go there is told in annotations anyway, so not knowing a field costs nothing.
import { isJsonObject } from '../model/json.ts';
import { listIn, objectIn, textIn } from '../model/json-fields.ts';

export interface SchemaFields {
  /** VirtualMachineInstance `status.interfaces[].ready`. */
  readonly interfaceReady: boolean;
  /** VirtualMachineInstance `status.migrationState.targetPodPrimaryInterfaceName`. */
  readonly targetPrimaryName: boolean;
  /** VirtualMachine `status.interfaceRequests`. */
  readonly interfaceRequests: boolean;
}

export const NO_FIELDS: SchemaFields = { interfaceReady: false, targetPrimaryName: false, interfaceRequests: false };

export const schemaFieldsOf = (definitions: {
  readonly machines: unknown;
  readonly instances: unknown;
}): SchemaFields => ({
  interfaceReady: hasField(definitions.instances, ['status', 'interfaces', '[]', 'ready']),
  targetPrimaryName: hasField(definitions.instances, ['status', 'migrationState', 'targetPodPrimaryInterfaceName']),
  interfaceRequests: hasField(definitions.machines, ['status', 'interfaceRequests']),
});

/** Asks the version that is stored; every version that is served converts to it. */
const hasField = (definition: unknown, path: readonly string[]): boolean => {
  const version = listIn(objectIn(definition, 'spec'), 'versions').find(
    (candidate) => isJsonObject(candidate) && candidate['storage'] === true && textIn(candidate, 'name') !== undefined,
  );
  let schema: unknown = objectIn(objectIn(version, 'schema'), 'openAPIV3Schema');
  for (const step of path) {
    if (isJsonObject(schema) && schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
    schema = step === '[]' ? objectIn(schema, 'items') : objectIn(objectIn(schema, 'properties'), step);
  }
  return isJsonObject(schema) && Object.keys(schema).length > 0;
};
