// Settings that every role has.
import { duration, listenAddress, oneOf, optionalText } from './field.ts';

export const kubeconfig = optionalText({
  placeholder: 'PATH',
  description: 'kubeconfig to use instead of the service account of the pod',
});
export const retryMin = duration('10ms', '1m', { default: '200ms', description: 'first delay after a failure' });
export const retryMax = duration('1s', '1h', {
  default: '60s',
  description: 'longest delay between two tries; they never stop',
});
export const apiTimeout = duration('1s', '5m', {
  default: '30s',
  description: 'longest wait for an answer of the API server',
});
export const shutdownTimeout = duration('0', '10m', {
  default: '20s',
  description: 'how long work in flight may take after SIGTERM',
});
export const listen = listenAddress({
  default: ':9464',
  description: 'where /metrics, /healthz and /readyz are served',
});
export const logLevel = oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], {
  default: 'info',
  description: 'least important log lines to write',
});
