import { expect, it } from 'vitest';
import { deviationsFromRestricted } from './pod-security.ts';

const container = {
  name: 'main',
  securityContext: {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  },
};
const with_ = (changes: object) => ({
  containers: [{ ...container, securityContext: { ...container.securityContext, ...changes } }],
});

it.each<[string, object, readonly string[]]>([
  ['nothing of a restricted pod', { containers: [container], volumes: [{ name: 'c', configMap: {} }] }, []],
  [
    'what the pod says for all containers',
    { ...with_({ runAsNonRoot: undefined }), securityContext: { runAsNonRoot: true } },
    [],
  ],
  [
    'host namespaces',
    { containers: [container], hostNetwork: true, hostPID: true },
    ['hostNetwork: true', 'hostPID: true'],
  ],
  [
    'host paths',
    { containers: [container], volumes: [{ name: 'run', hostPath: { path: '/run' } }] },
    ['volume run: hostPath'],
  ],
  ['privileges', with_({ privileged: true }), ['container main, privileged: true']],
  [
    'escalation that is not forbidden',
    with_({ allowPrivilegeEscalation: undefined }),
    ['container main, allowPrivilegeEscalation: not false'],
  ],
  [
    'capabilities that stay',
    with_({ capabilities: { drop: ['NET_RAW'] } }),
    ['container main, capabilities.drop: not ALL'],
  ],
  [
    'capabilities that come',
    with_({ capabilities: { drop: ['ALL'], add: ['NET_ADMIN', 'NET_BIND_SERVICE'] } }),
    ['container main, capabilities.add: NET_ADMIN'],
  ],
  ['root', with_({ runAsUser: 0 }), ['container main, runAsUser: 0']],
  ['no seccomp', with_({ seccompProfile: { type: 'Unconfined' } }), ['container main, seccompProfile: none']],
  ['host ports', { containers: [{ ...container, ports: [{ hostPort: 80 }] }] }, ['container main, hostPort: set']],
  [
    'init containers too',
    {
      containers: [container],
      initContainers: [
        { ...container, name: 'first', securityContext: { ...container.securityContext, privileged: true } },
      ],
    },
    ['container first, privileged: true'],
  ],
])('finds %s', (_, spec, deviations) => {
  expect(deviationsFromRestricted(spec)).toEqual(deviations);
});
