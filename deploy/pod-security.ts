// Where a pod differs from the Pod Security level "restricted", field by field: the rules of that level for what the API has
// today, on Linux. https://kubernetes.io/docs/concepts/security/pod-security-standards/
import * as z from 'zod/mini';

const securityContext = z.optional(
  z.looseObject({
    privileged: z.optional(z.boolean()),
    allowPrivilegeEscalation: z.optional(z.boolean()),
    runAsNonRoot: z.optional(z.boolean()),
    runAsUser: z.optional(z.number()),
    procMount: z.optional(z.string()),
    capabilities: z.optional(z.object({ add: z.optional(z.array(z.string())), drop: z.optional(z.array(z.string())) })),
    seccompProfile: z.optional(z.object({ type: z.string() })),
    appArmorProfile: z.optional(z.object({ type: z.string() })),
    seLinuxOptions: z.optional(z.unknown()),
    sysctls: z.optional(z.array(z.unknown())),
  }),
);

const container = z.looseObject({
  name: z.string(),
  securityContext,
  ports: z.optional(z.array(z.looseObject({ hostPort: z.optional(z.number()) }))),
});

const podSpec = z.looseObject({
  hostNetwork: z.optional(z.boolean()),
  hostPID: z.optional(z.boolean()),
  hostIPC: z.optional(z.boolean()),
  securityContext,
  containers: z.array(container),
  initContainers: z.optional(z.array(container)),
  volumes: z.optional(z.array(z.looseObject({ name: z.string() }))),
});

const VOLUMES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

/** Each as `field: value`. */
export const deviationsFromRestricted = (spec: unknown): readonly string[] => {
  const pod = podSpec.parse(spec);
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => pod[field] === true);
  const containers = [...(pod.initContainers ?? []), ...pod.containers];
  return [
    ...shared.map((field) => `${field}: true`),
    ...(pod.volumes ?? []).flatMap(({ name, ...source }) =>
      Object.keys(source).flatMap((kind) => (VOLUMES.has(kind) ? [] : [`volume ${name}: ${kind}`])),
    ),
    ...containers.flatMap((one) => containerDeviations(one, pod.securityContext)),
  ];
};

const containerDeviations = (
  { name, securityContext: own = {}, ports = [] }: z.infer<typeof container>,
  common: z.infer<typeof securityContext> = {},
): readonly string[] => {
  const runAsNonRoot = own.runAsNonRoot ?? common.runAsNonRoot;
  const runAsUser = own.runAsUser ?? common.runAsUser;
  const seccompProfile = own.seccompProfile ?? common.seccompProfile;
  const appArmorProfile = own.appArmorProfile ?? common.appArmorProfile;
  const added = (own.capabilities?.add ?? []).filter((capability) => capability !== 'NET_BIND_SERVICE');
  const checks: readonly (readonly [boolean, string])[] = [
    [own.privileged !== true, 'privileged: true'],
    [own.allowPrivilegeEscalation === false, 'allowPrivilegeEscalation: not false'],
    [own.capabilities?.drop?.includes('ALL') === true, 'capabilities.drop: not ALL'],
    [added.length === 0, `capabilities.add: ${added}`],
    [runAsNonRoot === true, 'runAsNonRoot: not true'],
    [runAsUser !== 0, 'runAsUser: 0'],
    [['RuntimeDefault', 'Localhost'].includes(seccompProfile?.type ?? ''), 'seccompProfile: none'],
    [appArmorProfile?.type !== 'Unconfined', 'appArmorProfile: Unconfined'],
    [(own.procMount ?? 'Default') === 'Default', `procMount: ${own.procMount}`],
    [own.seLinuxOptions === undefined && common.seLinuxOptions === undefined, 'seLinuxOptions: set'],
    [(common.sysctls ?? []).length === 0, 'sysctls: set'],
    [ports.every(({ hostPort }) => hostPort === undefined), 'hostPort: set'],
  ];
  return checks.flatMap(([isMet, deviation]) => (isMet ? [] : [`container ${name}, ${deviation}`]));
};
