// One open watch on the wire: newline-separated JSON events in a chunked answer.
// Promises: nothing is written after the end; `onClose` runs once, whoever ended it; a client that reads too slowly
// is cut off rather than remembered without bound, as the real server does.

import type { ServerResponse } from 'node:http';

const maxUnsentBytes = 64 * 1024 * 1024;

export class WatchStream {
  readonly #response: ServerResponse;
  #isOpen = true;

  constructor(response: ServerResponse, onClose: () => void) {
    this.#response = response;
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    // The client waits for the headers before it believes that it watches.
    response.flushHeaders();
    response.once('close', () => {
      this.#isOpen = false;
      onClose();
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(line: string | Buffer): void {
    if (!this.#isOpen) return;
    this.#response.write(line);
    if (this.#response.writableLength > maxUnsentBytes) this.destroy();
  }

  /** The end of a watch that ran its time. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#response.end();
  }

  /** A broken connection. */
  destroy(): void {
    this.#isOpen = false;
    this.#response.destroy();
  }

  sendHalfAndDestroy(line: string | Buffer): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const half = Buffer.from(line).subarray(0, Math.floor(line.length / 2));
    this.#response.write(half, () => this.#response.destroy());
  }
}
