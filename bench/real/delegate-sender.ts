// Runs inside the node, with nothing but Node's own modules: sends commands to Multus as fast as Multus answers them, and
// prints how long that took. The clock starts when the program does nothing but send. Its one argument is the file of a job.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { argv, stdout } from 'node:process';

export interface DelegateJob {
  readonly socketPath: string;
  readonly parallel: number;
  readonly bodies: readonly string[];
}

export interface JobTiming {
  readonly totalMs: number;
  readonly latenciesMs: readonly number[];
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

const run = async ({ socketPath, parallel, bodies }: DelegateJob): Promise<JobTiming> => {
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
  const started = performance.now();
  await Promise.all(Array.from({ length: parallel }, worker));
  return { totalMs: performance.now() - started, latenciesMs };
};

const job: DelegateJob = JSON.parse(readFileSync(argv[2] ?? '', 'utf8'));
stdout.write(JSON.stringify(await run(job)));
