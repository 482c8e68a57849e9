import packageJson from '../../package.json' with { type: 'json' };

/** Up to the slash it is the name of the manager in an object's managed fields. */
export const userAgentOf = (
  program: 'dynamic-networks-agent' | 'dynamic-networks-controller' | 'kubectl-dnet',
): string => `${program}/${packageJson.version}`;
