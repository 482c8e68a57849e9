// A network's device as network-status describes it, in the form that KubeVirt hands on: known fields only, in Go's order.
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { objectIn, textIn } from '../model/json-fields.ts';

const DEVICE_FIELDS = {
  pci: ['pci-address', 'vhost-net', 'rdma-device', 'pf-pci-address'],
  vdpa: ['parent-device', 'driver', 'path', 'pci-address', 'pf-pci-address'],
  'vhost-user': ['mode', 'path'],
  memif: ['role', 'path', 'mode'],
} as const;

/** Undefined when there is none. */
export const normalDeviceInfo = (value: unknown): JsonObject | undefined => {
  if (!isJsonObject(value)) return undefined;
  const devices = Object.entries(DEVICE_FIELDS).flatMap(([kind, fields]) => {
    const device = value[kind];
    return isJsonObject(device) ? [[kind, texts(device, fields)]] : [];
  });
  return { ...texts(value, ['type', 'version']), ...Object.fromEntries(devices) };
};

export const pciAddressIn = (info: JsonObject): string | undefined =>
  textIn(objectIn(info, 'pci'), 'pci-address') || undefined;

const texts = (value: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const text = textIn(value, field);
      return text ? [[field, text]] : [];
    }),
  );
