// JSON lines on standard output. Fields that come from users are values, never keys.
import { pino, stdSerializers } from 'pino';

export type Logger = ReturnType<typeof createLogger>;

export const createLogger = (options: { readonly level: string; readonly role: string; readonly node: string }) =>
  pino({
    level: options.level,
    base: { role: options.role, node: options.node },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: stdSerializers.errWithCause },
    // No credential of ours is ever logged on purpose; headers in an error's cause must not be either.
    redact: { paths: ['err.headers', 'err.cause.headers', 'err.options', 'err.cause.options'], remove: true },
  });
