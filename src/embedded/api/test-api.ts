// A server and a client of it, new for each test of a file.
import { afterEach, beforeEach } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from './api-server.ts';
import { TestClient } from './test-client.ts';

export interface TestApi {
  readonly server: EmbeddedApiServer;
  readonly client: TestClient;
}

/** To be called once, at the top of a test file. */
export const apiPerTest = (): TestApi => {
  let current: TestApi | undefined;
  const now = (): TestApi => {
    if (current === undefined) throw new Error('there is an API server only while a test runs');
    return current;
  };
  beforeEach(async () => {
    const server = await startApiServer();
    current = { server, client: new TestClient(server) };
  });
  afterEach(async () => {
    await current?.client.close();
    await current?.server.stop();
    current = undefined;
  });
  return {
    get server() {
      return now().server;
    },
    get client() {
      return now().client;
    },
  };
};
