// Runs inside the node, with nothing but Node's own modules: sends commands to Multus as fast as Multus answers them, and
// prints how long that took. The clock starts when the program does nothing but send. Its one argument is the file of a job.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { argv, stdout } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

export interface DelegateJob {
  readonly socketPath: string;
  readonly parallel: number;
  readonly bodies: readonly string[];
  /** Not before this moment, by the clock; what is to happen at the same time begins then, too. */
  readonly startAtMs?: number;
}

export interface JobTiming {
  readonly totalMs: number;
  readonly latenciesMs: readonly number[];
  readonly endedAtMs: number;
}

const post = (body: string, socketPath: string, agent: Agent): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent = request({ socketPath, agent, method: 'POST', path: '/delegate', headers }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    answer.on('error', reject).on('end', () => {
      if (answer.statusCode === 200) resolve();
      else reject(new Error(`Multus answered ${answer.statusCode}: ${text}`));
    });
  });
  sent.on('error', reject).end(body);
  return promise;
};

const until = async (timeMs: number): Promise<void> => {
  const leftMs = timeMs - Date.now();
  if (leftMs < 0) throw new Error(`started ${-leftMs} ms too late: the machine is too busy to measure`);
  await delay(leftMs);
};

const run = async ({ socketPath, parallel, bodies, startAtMs }: DelegateJob): Promise<JobTiming> => {
  // The daemon closes every connection after its answer.
  const agent = new Agent({ keepAlive: false, maxSockets: parallel });
  const latenciesMs: number[] = [];
  const waiting = bodies.values();
  const worker = async (): Promise<void> => {
    for (const body of waiting) {
      const started = performance.now();
      await post(body, socketPath, agent);
      latenciesMs.push(performance.now() - started);
    }
  };
  if (startAtMs !== undefined) await until(startAtMs);
  const started = performance.now();
  await Promise.all(Array.from({ length: parallel }, worker));
  return { totalMs: performance.now() - started, latenciesMs, endedAtMs: Date.now() };
};

const job: DelegateJob = JSON.parse(readFileSync(argv[2] ?? '', 'utf8'));
stdout.write(JSON.stringify(await run(job)));
