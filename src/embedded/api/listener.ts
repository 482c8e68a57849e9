// The TLS socket of the server, which can go away and come back on the same port.
// Promises: after `close` no connection is left, not even one in the middle of its handshake; `open` after `close`
// listens on the port of the first time.

import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { ServingCertificate } from './certificate.ts';

const host = '127.0.0.1';

export class Listener {
  readonly #certificate: ServingCertificate;
  readonly #onRequest: RequestListener;
  readonly #sockets = new Set<Socket>();
  #port: number;
  #server: Server | undefined;

  constructor(certificate: ServingCertificate, port: number, onRequest: RequestListener) {
    this.#certificate = certificate;
    this.#port = port;
    this.#onRequest = onRequest;
  }

  get url(): string {
    return `https://${host}:${this.#port}`;
  }

  get isOpen(): boolean {
    return this.#server !== undefined;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  async open(): Promise<void> {
    if (this.#server !== undefined) return;
    const { keyPem: key, certPem: cert } = this.#certificate;
    // A watch may be silent for as long as it likes, and a slow-down fault may hold a request: no time limits.
    const server = createServer({ key, cert, keepAliveTimeout: 0, requestTimeout: 0 }, this.#onRequest);
    server.on('connection', (socket: Socket) => this.#track(socket));
    server.on('tlsClientError', () => undefined);
    this.#server = server;
    const listening = Promise.withResolvers<void>();
    server.once('error', listening.reject);
    server.listen(this.#port, host, () => listening.resolve());
    try {
      await listening.promise;
    } catch (error) {
      this.#server = undefined;
      throw error;
    }
    const address = server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    const socketsClosed = [...this.#sockets].map((socket) => once(socket, 'close'));
    server.closeAllConnections();
    // Those that are not through their handshake are unknown to the server.
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([closed.promise, ...socketsClosed]);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    // A connection cut by either side is what this server is for, not an error.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
