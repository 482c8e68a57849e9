// Where lines of the demo itself go, and how they look.
import { hanging, PAGE_WIDTH, type Style } from './style.ts';

export class Printer {
  readonly style: Style;
  readonly #write: (text: string) => void;
  #isMuted = false;

  constructor(write: (text: string) => void, style: Style) {
    this.#write = write;
    this.style = style;
  }

  lines(lines: readonly string[]): void {
    if (!this.#isMuted && lines.length > 0) this.#write(`${lines.join('\n')}\n`);
  }

  title(position: string, text: string): void {
    const head = `── ${position} ── ${text} `;
    this.lines(['', this.style.accent(`${head}${'─'.repeat(Math.max(2, PAGE_WIDTH - head.length))}`)]);
  }

  say(text: string): void {
    this.lines(hanging('# ', text, this.style.dim));
  }

  /** What a person would type. */
  command(text: string): void {
    this.lines([`${this.style.notice('$')} ${this.style.bold(text)}`]);
  }

  good(text: string): void {
    this.lines(hanging('✓ ', text, this.style.good));
  }

  bad(text: string): void {
    this.lines(hanging('✗ ', text, this.style.bad));
  }

  /** After an interruption: what still runs must not talk any more. */
  mute(): void {
    this.#isMuted = true;
  }
}
