// Any error as a person wants to read it: what failed, and what to do next. Bugs keep their stack.
import { ApiError } from '../kube/api-error.ts';
import { CliError, type ExitCode } from './cli-error.ts';

export interface Explanation {
  readonly message: string;
  readonly next: string | undefined;
  readonly exitCode: ExitCode;
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNRESET',
  'EAI_AGAIN',
]);

export const explainError = (error: unknown): Explanation => {
  if (error instanceof CliError) return { message: error.message, next: error.next, exitCode: error.exitCode };
  if (error instanceof ApiError) return { message: error.message, next: nextOf(error), exitCode: 1 };
  if (!(error instanceof Error)) return { message: String(error), next: undefined, exitCode: 1 };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (UNREACHABLE.has(code)) {
    const next = 'is it running, and is this the right context? kubectl config current-context tells';
    return { message: `the API server cannot be reached: ${error.message || code}`, next, exitCode: 1 };
  }
  if (/CERT|SELF_SIGNED|ERR_TLS/.test(code)) {
    const next = "the kubeconfig's certificate-authority does not fit the server's certificate";
    return { message: `the API server is not trusted: ${error.message}`, next, exitCode: 1 };
  }
  if (error.name === 'TimeoutError') {
    return {
      message: `the API server did not answer: ${error.message}`,
      next: 'try again; kubectl get --raw /readyz tells how it is',
      exitCode: 1,
    };
  }
  return {
    message: error.stack ?? error.message,
    next: 'this is a bug: please report it with these lines',
    exitCode: 1,
  };
};

const nextOf = ({ statusCode }: ApiError): string | undefined => {
  if (statusCode === 401) return 'the credentials of this context are not accepted: log in again';
  if (statusCode === 403) return 'ask an administrator for this right, or use another context';
  if (statusCode === 429 || statusCode >= 500) return 'the API server is in trouble: try again';
  return undefined;
};
