// Where lines go. Text that comes while a person types is put above what is being typed.
import type { Style } from './style.ts';

export interface Prompt {
  /** Takes the prompt off the screen; gives back the function that draws it again. */
  lift(): () => void;
}

export class Printer {
  readonly style: Style;
  readonly #write: (text: string) => void;
  #prompt: Prompt | undefined;
  #isMuted = false;

  constructor(write: (text: string) => void, style: Style) {
    this.#write = write;
    this.style = style;
  }

  lines(lines: readonly string[]): void {
    if (this.#isMuted || lines.length === 0) return;
    const restore = this.#prompt?.lift();
    this.#write(`${lines.join('\n')}\n`);
    restore?.();
  }

  set prompt(prompt: Prompt | undefined) {
    this.#prompt = prompt;
  }

  /** After an interruption: what still runs must not talk any more. */
  mute(): void {
    this.#isMuted = true;
  }
}
