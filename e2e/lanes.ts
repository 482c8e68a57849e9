// Which files run side by side. A story that keeps to its own namespace mostly waits, for pods to start and to end, and so do its
// neighbours; whatever restarts, stops, drains or configures something that others use, counts what a component does or takes
// its time, has the cluster for itself. A new file has it, too, until somebody lists it here.

/** Looks back at what all others did. */
export const last = ['e2e/security/rights-used.e2e.ts'];

export const sideBySide = [
  'e2e/faults/network-recreated.e2e.ts',
  'e2e/helm/chart-renders.e2e.ts',
  'e2e/monitoring/alerts.e2e.ts',
  'e2e/security/stolen-token.e2e.ts',
  ...[
    'changed-elements',
    'configurations',
    'created-with-pod',
    'device-plugin',
    'drift',
    'entries-of-others',
    'invalid-annotation',
    'lost-status',
    'partial-failure',
    'plug-unplug',
    'pod-end',
    'pod-start',
    'range-full',
    'readiness-gate',
    'sandbox',
    'traffic',
    'unnamed-elements',
    'whereabouts',
  ].map((story) => `e2e/stories/${story}.e2e.ts`),
  ...['device-left-out', 'hot-plug', 'migration', 'restarts'].map((story) => `e2e/vm/${story}.e2e.ts`),
];
