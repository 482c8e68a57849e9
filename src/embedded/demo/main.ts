// `npm run demo`: opens the stage, plays the story, hands over to the person, and always tidies up.
import { isNativeError } from 'node:util/types';
import { AgentStartError } from './agent-process.ts';
import { Interactive } from './interactive.ts';
import { type DemoOptions, parseOptions, usage } from './options.ts';
import { Printer } from './printer.ts';
import { NotSeenError, Stage } from './stage.ts';
import { playStory } from './story.ts';
import { hanging, styleFor } from './style.ts';

class Interrupted extends Error {}

const run = async (options: DemoOptions): Promise<number> => {
  const { stdin, stdout } = process;
  const printer = new Printer((text) => stdout.write(text), styleFor(stdout, process.env));
  const interruption = Promise.withResolvers<never>();
  const interrupt = (why: string): void => interruption.reject(new Interrupted(why));
  interruption.promise.catch(() => {});
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(130)); // impatient: the `exit` listener still ends the agent
      interrupt(signal);
    });
  }
  stdout.on('error', () => interrupt('nobody reads the output'));

  const opening = Stage.open(printer, options);
  opening.catch(() => {});
  void opening.then((stage) => process.once('exit', () => stage.abandon()));
  try {
    return await Promise.race([perform(await Promise.race([opening, interruption.promise])), interruption.promise]);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    printer.lines(['', printer.style.notice(`interrupted (${error.message}); tidying up`)]);
    return 130;
  } finally {
    printer.mute();
    await (await opening.catch(() => undefined))?.close();
  }

  async function perform(stage: Stage): Promise<number> {
    try {
      const agent = await stage.startAgent();
      introduce(stage, agent.pid);
      if (!options.skipsStory) await playStory(stage);
      if (options.isInteractive) await new Interactive(stage, { input: stdin, output: stdout, interrupt }).run();
      else printer.lines(['  your turn: npm run demo -- --interactive']);
      return 0;
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      report(stage, error);
      return 1;
    }
  }
};

const introduce = ({ printer, cluster }: Stage, pid: number): void => {
  const { style } = printer;
  const about = (lead: string, text: string): string[] => hanging(`  ${lead.padEnd(9)}  `, text, style.dim);
  printer.lines([
    style.bold('dynamic-networks: plugging and unplugging interfaces of a running pod'),
    ...about('real', `the agent: dist/dynamic-networks.mjs, process ${pid}, with its ledger on disk`),
    ...about('real', 'kubectl dnet: dist/kubectl-dnet.mjs, each command a process of its own'),
    ...about('real', 'what they speak: HTTPS watch and patches, CRI over gRPC, /delegate of Multus'),
    ...about('simulated', `here: API server, node ${cluster.nodeName}, its runtime, Multus and kernel; kubectl run`),
    ...about('', '(also annotate and delete), since nobody needs to have a kubectl for this'),
  ]);
};

/** What was expected, what was seen, what the agent said last. */
const report = (stage: Stage, error: unknown): void => {
  const { printer, lastAgentLines } = stage;
  const { style } = printer;
  printer.bad(isNativeError(error) ? error.message : String(error));
  if (error instanceof NotSeenError) {
    const lines = error.differences.flatMap(({ expected, seen }) => [
      ...hanging('  expected  ', expected, style.good),
      ...hanging('  seen      ', seen, style.bad),
    ]);
    printer.lines(lines);
  } else if (isNativeError(error) && !(error instanceof AgentStartError)) {
    printer.lines([style.dim(error.stack ?? '')]);
  }
  printer.lines(['last log lines of the agent:']);
  stage.showLog(lastAgentLines.length > 0 ? lastAgentLines : ['(none)']);
};

const parsed = parseOptions(process.argv.slice(2), process.stdout.isTTY === true);
switch (parsed.kind) {
  case 'help':
    process.stdout.write(usage);
    break;
  case 'mistake':
    process.stderr.write(`demo: ${parsed.message}\n(--help lists every option)\n`);
    process.exitCode = 2;
    break;
  case 'run':
    finish(await run(parsed.options));
}

/** After an interruption something may still wait for what will never come: the process ends all the same. */
function finish(code: number): void {
  process.stdout.write('', () => process.exit(code));
}
