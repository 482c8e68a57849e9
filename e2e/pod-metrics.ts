// The metrics of one of our pods, as Prometheus would read them, through the API server.
import { agentNamespace } from './install-agent.ts';
import type { Kubectl } from './target.ts';

const metricsPort = 9464;

export const readMetrics = (kubectl: Kubectl, { name }: { readonly name: string }): Promise<string> =>
  kubectl.run(['get', '--raw', `/api/v1/namespaces/${agentNamespace}/pods/${name}:${metricsPort}/proxy/metrics`]);
