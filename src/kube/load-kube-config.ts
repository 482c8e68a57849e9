import { KubeConfig } from '@kubernetes/client-node';

/** The kubeconfig at `path`, or the service account of the pod that we run in when there is none. */
export const loadKubeConfig = (path: string): KubeConfig => {
  const config = new KubeConfig();
  if (path === '') config.loadFromCluster();
  else config.loadFromFile(path);
  return config;
};
