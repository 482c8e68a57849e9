import { describe, expect, it } from 'vitest';
import { parseOptions } from './options.ts';

const optionsOf = (args: readonly string[], isWatched = false) => {
  const parsed = parseOptions(args, isWatched);
  return parsed.kind === 'run' ? parsed.options : parsed;
};

describe('parseOptions', () => {
  it('plays the story only, by default', () => {
    expect(optionsOf([])).toEqual({
      isInteractive: false,
      skipsStory: false,
      isVerbose: false,
      pauseMs: 0,
      timeoutMs: 20_000,
      agentSettings: {},
    });
  });

  it('pauses only when somebody watches, and not in a hurry', () => {
    expect(optionsOf([], true)).toMatchObject({ pauseMs: expect.toSatisfy((ms: number) => ms > 500) });
    expect(optionsOf(['--fast'], true)).toMatchObject({ pauseMs: 0 });
  });

  it('reads the rest', () => {
    const args = [
      '--interactive',
      '--skip-story',
      '--verbose',
      '--timeout',
      '2.5',
      '--agent-setting',
      'retryMax=5s',
      '--agent-setting',
      'a=b=c',
    ];
    expect(optionsOf(args)).toMatchObject({
      isInteractive: true,
      skipsStory: true,
      isVerbose: true,
      timeoutMs: 2500,
      agentSettings: { retryMax: '5s', a: 'b=c' },
    });
    expect(optionsOf(['--help'])).toEqual({ kind: 'help' });
  });

  it.each([
    [['--nope'], /--nope/],
    [['story'], /story/],
    [['--timeout', 'soon'], /--timeout must be .* got "soon"/],
    [['--timeout', '0'], /from 0.1 to 600/],
    [['--agent-setting', 'retryMax'], /must look like retryMax=5s/],
    [['--skip-story'], /--interactive/],
  ])('%j is a mistake', (args, message) => {
    expect(optionsOf(args)).toEqual({ kind: 'mistake', message: expect.stringMatching(message) });
  });
});
