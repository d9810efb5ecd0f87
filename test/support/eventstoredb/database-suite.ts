import { once } from 'node:events';
import { createServer } from 'node:net';
import type { EventStore } from '#ports/event-store';
import { until } from '../../../libs/platform/kernel/src/testing/eventually.ts';
import { listen } from '../listen.ts';
import { TestDatabase } from './database.ts';

/** A database with a client for all tests of a file, and a new stream name for each test. */
export interface DatabaseSuite {
  readonly database: TestDatabase;
  readonly store: EventStore;
  readonly stream: string;
}

/** Starts a database for all tests of the file and repairs injected faults after each test. */
export function databaseSuite(): DatabaseSuite {
  let database: TestDatabase;
  let store: EventStore;
  let streams = 0;
  beforeAll(async () => {
    database = await TestDatabase.start();
    store = await database.client();
  });
  beforeEach(() => {
    streams++;
  });
  afterEach(async () => {
    database.keys.fault = null;
    database.server.cutNextAppends();
    await database.server.start();
  });
  afterAll(() => database.stop());
  return {
    get database() {
      return database;
    },
    get store() {
      return store;
    },
    get stream() {
      return `document-${streams}`;
    },
  };
}

export const payloads = (events: readonly { payload: unknown }[]) => events.map((each) => each.payload);
export const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ n: from + i }));

/** Waits until a client has tried to connect to the port of a server that is stopped. */
export async function refused(port: number): Promise<void> {
  let attempts = 0;
  const refusing = createServer((socket) => {
    attempts += 1;
    socket.destroy();
  });
  await listen(refusing, port);
  await until(() => attempts);
  refusing.close();
  await once(refusing, 'close');
}
