// Plays the story, step by step.
import { killAgent } from './kill-agent.ts';
import { NotSeenError, type Stage } from './stage.ts';
import { badEdit, deletePod, moveName, plugOne, plugTwoMore, type Step, startPod, unplugOne } from './steps.ts';
import { formatMs } from './style.ts';

const story: readonly Step[] = [startPod, plugOne, plugTwoMore, moveName, unplugOne, badEdit, killAgent, deletePod];

/** Throws NotSeenError at the first step that was not seen. */
export const playStory = async (stage: Stage): Promise<void> => {
  const { printer } = stage;
  const started = performance.now();
  for (const [index, { title, play }] of story.entries()) {
    printer.title(`${index + 1}/${story.length}`, title);
    await play(stage);
    await stage.pause();
  }
  if (stage.agentErrors > 0) throw new NotSeenError(`the agent logged ${stage.agentErrors} error(s) meanwhile`);
  const all = `${story.length} of ${story.length} steps`;
  printer.lines(['']);
  printer.good(
    `${all} seen in the kernel, the address store and on the pod, in ${formatMs(performance.now() - started)}`,
  );
};
