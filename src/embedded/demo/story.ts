// Plays the story: each step's title, what it shows while it happens, how long it took, and the state it left.
import { deletePod, killAgent } from './hard-steps.ts';
import { NotSeenError, type Stage } from './stage.ts';
import { badEdit, moveName, plugOne, plugTwoMore, type Step, startPod, unplugOne } from './steps.ts';
import { formatMs } from './style.ts';
import { renderTitle } from './view.ts';

export const story: readonly Step[] = [
  startPod,
  plugOne,
  plugTwoMore,
  moveName,
  unplugOne,
  badEdit,
  killAgent,
  deletePod,
];

/** Throws NotSeenError at the first step that was not seen. */
export const playStory = async (stage: Stage): Promise<void> => {
  const { printer } = stage;
  const { style } = printer;
  const started = performance.now();
  const times: string[] = [];
  for (const [index, { title, verdict = 'Ready', play }] of story.entries()) {
    const position = `${index + 1}/${story.length}`;
    printer.lines(renderTitle(position, title, style));
    const ms = await play(stage);
    stage.succeed(`${verdict} after ${formatMs(ms)}`);
    stage.show();
    times.push(formatMs(ms));
    await stage.pause();
  }
  if (stage.agentErrors > 0) throw new NotSeenError(`the agent logged ${stage.agentErrors} error(s) meanwhile`);
  printer.lines([
    '',
    style.good(
      `✓ ${story.length} of ${story.length} steps seen in the kernel, the IPAM store and the pod's annotations`,
    ),
    `  ${style.dim(`per step: ${times.join(', ')}; in all ${formatMs(performance.now() - started)}`)}`,
  ]);
};
