// Calls of an object's methods in a child process, over the channel that fork() opens. Arguments and results are plain data.
import type { ChildProcess } from 'node:child_process';

export type Service = { readonly [method: string]: (...args: never[]) => unknown };

/** The same methods, each with a promise of its result. */
export type Remote<S> = {
  readonly [K in keyof S]: S[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

interface Request {
  readonly id: number;
  readonly method: string;
  readonly args: never[];
}

type Reply = { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: string };

/** In the child: answers until the parent goes away. */
export const serve = (service: Service): void => {
  const answer = async ({ id, method, args }: Request): Promise<Reply> => {
    try {
      return { id, result: await service[method]?.(...args) };
    } catch (error) {
      return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on('message', (request: Request) => void answer(request).then((reply) => process.send?.(reply)));
  process.on('disconnect', () => process.exit(0));
};

/** In the parent: every call ends, at the latest when the child does. */
export const connect = <S extends object>(child: ChildProcess): Remote<S> => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  child.on('message', (reply: Reply) => {
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) call?.reject(new Error(reply.error));
    else call?.resolve(reply.result);
  });
  child.on('exit', (code, signal) => {
    for (const call of waiting.values()) call.reject(new Error(`the child process ended (${signal ?? code})`));
    waiting.clear();
  });
  const call =
    (method: string) =>
    (...args: unknown[]): Promise<unknown> => {
      lastId += 1;
      const pending = Promise.withResolvers<unknown>();
      waiting.set(lastId, pending);
      child.send({ id: lastId, method, args });
      return pending.promise;
    };
  // A remote must not look like a promise to `await`.
  return new Proxy({} as Remote<S>, { get: (_, name) => (name === 'then' ? undefined : call(String(name))) });
};
