// What runtimes put into the verbose `info` of CRI answers: JSON that is not part of the CRI contract, but that containerd
// and CRI-O both give. Whatever cannot be read is undefined; the caller says what that means.
import * as z from 'zod/mini';

const sandboxInfo = z.object({
  runtimeSpec: z.object({
    linux: z.object({ namespaces: z.array(z.object({ type: z.string(), path: z.optional(z.string()) })) }),
  }),
});

export const findNetns = (info: Readonly<Record<string, string>>): string | undefined => {
  const parsed = parse(sandboxInfo, info['info']);
  const network = parsed?.runtimeSpec.linux.namespaces.find(({ type }) => type === 'network');
  return network?.path || undefined;
};

const containerInfo = z.object({
  runtimeSpec: z.object({ process: z.object({ env: z.array(z.string()) }) }),
});

/** Device plugins tell a container its devices as PCIDEVICE_<RESOURCE>=<id>,<id>. */
export const devicesIn = (info: Readonly<Record<string, string>>): readonly string[] => {
  const env = parse(containerInfo, info['info'])?.runtimeSpec.process.env ?? [];
  return env.flatMap((line) => {
    const [name = '', value = ''] = line.split('=', 2);
    return name.startsWith('PCIDEVICE_') && !name.endsWith('_INFO') ? value.split(',').filter((id) => id !== '') : [];
  });
};

const parse = <T extends z.ZodMiniType>(schema: T, text: string | undefined): z.infer<T> | undefined => {
  try {
    return schema.parse(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
};
