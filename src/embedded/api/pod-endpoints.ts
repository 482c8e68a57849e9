// What pods answer when they are asked through the API server: their ports by `pods/proxy`, and their log. The embedded
// cluster runs no containers, so whoever starts something in a pod's name says here where it listens and what it wrote.
import { request } from 'node:http';
import type { Answer } from './answer.ts';
import { noSuchResource } from './api-error.ts';

export interface PodEndpoint {
  /** The port on 127.0.0.1 that stands for the pod's, whichever is asked for. */
  readonly port?: number;
  readonly log?: string;
}

const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/:]+)(?::[^/]+)?\/(log|proxy)(\/.*)?$/;

export class PodEndpoints {
  readonly #endpoints = new Map<string, PodEndpoint>();

  set(pod: { readonly namespace: string; readonly name: string }, endpoint: PodEndpoint): void {
    this.#endpoints.set(`${pod.namespace}/${pod.name}`, endpoint);
  }

  isServed(path: string): boolean {
    return PATH.test(path);
  }

  async answer(path: string): Promise<Answer> {
    const [, namespace = '', name = '', subresource, rest = '/'] = PATH.exec(path) ?? [];
    const endpoint = this.#endpoints.get(`${decodeURIComponent(namespace)}/${decodeURIComponent(name)}`);
    if (subresource === 'log' && endpoint?.log !== undefined) return text(200, endpoint.log);
    if (subresource !== 'proxy' || endpoint?.port === undefined) throw noSuchResource();
    return await ask(endpoint.port, rest);
  }
}

const text = (code: number, body: string): Answer => ({ code, text: body, contentType: 'text/plain' });

const ask = (port: number, path: string): Promise<Answer> =>
  new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      answer.once('close', () => resolve(text(answer.statusCode ?? 502, body)));
    });
    asked.once('error', (error) => resolve(text(503, `error trying to reach service: ${error.message}`)));
    asked.end();
  });
