// The bare floor: the same commands as the agent's, sent to Multus by a client that does nothing else.
import { Pool } from 'undici';
import type { Timing } from './world.ts';

export interface FloorOptions {
  readonly socketPath: string;
  readonly parallel: number;
}

export const sendAll = async (bodies: readonly string[], { socketPath, parallel }: FloorOptions): Promise<Timing> => {
  const pool = new Pool('http://multus', { socketPath, connections: parallel });
  const latenciesMs: number[] = [];
  const waiting = bodies.values();
  const worker = async (): Promise<void> => {
    for (const body of waiting) {
      const started = performance.now();
      const response = await pool.request({ method: 'POST', path: '/delegate', body });
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new Error(`Multus answered ${response.statusCode}: ${text}`);
      latenciesMs.push(performance.now() - started);
    }
  };
  try {
    const started = performance.now();
    await Promise.all(Array.from({ length: parallel }, worker));
    return { totalMs: performance.now() - started, latenciesMs };
  } finally {
    await pool.destroy();
  }
};
