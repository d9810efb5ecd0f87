import { setTimeout as pause } from 'node:timers/promises';
import type { EventStore } from '#event-store';
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

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(5);
}
