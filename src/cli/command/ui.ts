// kubectl dnet ui: the cluster's networks as a live page on this machine.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { ApiError } from '../../kube/api-error.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { AddCommand } from '../command-host.ts';
import { byTime, listEvents } from '../gather/events.ts';
import { collectionPath, PODS } from '../gather/resources.ts';
import type { Session } from '../session.ts';
import { LiveTopology } from '../ui/live-topology.ts';
import type { TimelineEntry } from '../ui/topology.ts';
import { startUiServer } from '../ui/ui-server.ts';

export const addUi: AddCommand = ({ program, run, uiAssets }) => {
  const command = program
    .command('ui')
    .summary('live page of networks, pods and VMs on this machine')
    .description(
      'Serves a read-only page on 127.0.0.1 with your own rights, until it is ended. All namespaces, if you may read them and none is named.',
    )
    .option('--port <PORT>', 'port to listen on; 0 takes a free one', '0')
    .option('--open', 'open it in the browser');
  run(command, async (session) => {
    const flags = command.opts<{ port: string; open?: boolean }>();
    if (!/^\d{1,5}$/.test(flags.port)) throw new UsageError(`--port "${flags.port}" is not a port`);
    if (uiAssets === undefined) {
      throw new CliError('this build has no page', 'npm run build makes one: dist/kubectl-dnet.mjs');
    }
    const topology = new LiveTopology({
      client: session.client,
      cluster: session.contextName,
      namespace: await scopeFor(session),
    });
    topology.start();
    const server = await startUiServer({
      assets: uiAssets,
      token: randomBytes(24).toString('base64url'),
      port: Number(flags.port),
      subscribe: (listener) => topology.subscribe(listener),
      timeline: (namespace, pod, signal) => timelineOf(session, namespace, pod, signal),
    });
    session.terminal.print(server.url);
    session.terminal.note('Ctrl-C ends it. Whoever has this address sees what you may see.');
    if (flags.open === true) openBrowser(server.url);
    if (!session.signal.aborted) await once(session.signal, 'abort');
    await Promise.all([server.close(), topology.stop()]);
    return 0;
  });
};

/** All namespaces, unless one was named or only one may be read. */
const scopeFor = async (session: Session): Promise<string | undefined> => {
  if (session.isNamespaceGiven && !session.isAllNamespaces) return session.namespace;
  try {
    const query = { limit: '1' };
    await session.client.json({ method: 'GET', path: collectionPath(PODS), query, signal: session.signal });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode !== 403 || session.isAllNamespaces) throw error;
    session.terminal.note(`note: only namespace ${session.namespace}: pods of all namespaces may not be read`);
    return session.namespace;
  }
};

const timelineOf = async (
  session: Session,
  namespace: string,
  pod: string,
  signal: AbortSignal,
): Promise<readonly TimelineEntry[]> => {
  const query = { fieldSelector: `involvedObject.name=${pod}` };
  const events = await listEvents({ client: session.client, signal }, namespace, query);
  return events.toSorted(byTime).map(({ lastSeen, type, reason, message, count, source }) => ({
    ...(lastSeen !== undefined && { time: lastSeen }),
    type,
    reason,
    message,
    count,
    source,
  }));
};

const openBrowser = (url: string): void => {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined); // the address was printed: it can be opened by hand
  child.unref();
};
