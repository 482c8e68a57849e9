#!/usr/bin/env node
// kubectl-dnet: what kubectl starts for `kubectl dnet …`.
import packageJson from '../package.json' with { type: 'json' };
import { runCli } from './cli/program.ts';
import type { UiAssets } from './cli/ui/ui-server.ts';

/** The page of `ui`, put in by the build. */
declare const UI_ASSETS: UiAssets | undefined;

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new Error(`ended by ${name}`));
  });
}
// `kubectl dnet status | head` closes the pipe early: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCli({
  args: process.argv.slice(2),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
  version: packageJson.version,
  uiAssets: typeof UI_ASSETS === 'undefined' ? undefined : UI_ASSETS,
});
