// A gate of virtual machines on the suite's installation, turned on as users do: by listing its component. `withVmGate` registers
// hooks; while it is on, the controller has the rights that its component brings and no other gate's, which earlier files leave.
import { mkdir, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { type AuditedRequest, readAuditLog, rightOf } from '../audit-log.ts';
import { controllersReady } from '../controllers.ts';
import { canHaveVirtualMachines, type Story } from '../fixture.ts';
import { agentNamespace, controllerDeployment } from '../install-agent.ts';

/** Folders of deploy/gates. */
export type VmGate = 'hotplug-nics' | 'pod-interface-name' | 'device-map';

const artifacts = resolve(import.meta.dirname, '..', 'artifacts');
const base = resolve(artifacts, 'install');
const gates = resolve(import.meta.dirname, '..', '..', 'deploy', 'gates');

/** Its account is called as it is. */
const account = controllerDeployment;
const rolloutDeadlineMs = 120_000;

type Binding = { readonly metadata: { readonly name: string } };

export const withVmGate = (story: Story, gate: VmGate) => {
  const { kubectl } = story;
  const { clusterState } = inject('target');
  const overlay = resolve(artifacts, `install-${gate}`);
  const ownBinding = `${account}-${gate}`;
  let others: readonly Binding[] = [];
  let since = '';

  const apply = async (folder: string): Promise<void> => {
    await kubectl.run(['apply', '-k', folder]);
    await controllersReady(kubectl);
  };

  const bindingsOfOtherGates = async (): Promise<readonly Binding[]> => {
    const { items } = await kubectl.getJson<{ items: readonly Binding[] }>(['clusterrolebindings']);
    return items.filter(({ metadata: { name } }) => name.startsWith(`${account}-`) && name !== ownBinding);
  };

  beforeAll(async () => {
    if (!canHaveVirtualMachines) return;
    others = await bindingsOfOtherGates();
    for (const { metadata } of others) await kubectl.run(['delete', 'clusterrolebinding', metadata.name]);
    await mkdir(overlay, { recursive: true });
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [relative(overlay, base)],
      components: [relative(overlay, resolve(gates, gate))],
    };
    await writeFile(resolve(overlay, 'kustomization.yaml'), JSON.stringify(kustomization));
    since = new Date().toISOString();
    await apply(overlay);
  }, 2 * rolloutDeadlineMs);

  afterAll(async () => {
    if (!canHaveVirtualMachines) return;
    for (const { metadata, ...binding } of others) {
      await kubectl.apply({ ...binding, metadata: { name: metadata.name } });
    }
    await apply(base);
  }, 2 * rolloutDeadlineMs);

  return {
    /** What the controller was refused since the gate is on, by the API server's own account; without that, by its own. */
    refusedRights: async (): Promise<readonly string[]> => {
      if (clusterState === undefined) {
        const log = await kubectl.run([
          '-n',
          agentNamespace,
          'logs',
          `deployment/${controllerDeployment}`,
          '--all-pods',
          `--since-time=${since}`,
        ]);
        return log.split('\n').filter((line) => /forbidden/i.test(line));
      }
      const isRefused = ({ user, responseStatus, requestReceivedTimestamp: at }: AuditedRequest): boolean =>
        user.username === `system:serviceaccount:${agentNamespace}:${account}` &&
        responseStatus?.code === 403 &&
        at >= since;
      return (await readAuditLog(clusterState)).filter(isRefused).map(rightOf);
    },
  };
};
