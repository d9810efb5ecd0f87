import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectNats, type NatsConnection } from '../index.ts';
import { type NatsServer, startNatsServer } from './nats-server.ts';

/** What the tests of a suite find while they run. */
export interface NatsSuite {
  /** The suite's own, which a test may kill. */
  readonly server: NatsServer;
  readonly connection: NatsConnection;
  /** The name of a stream that is each test's own: not there when it begins, removed after it. */
  readonly bucket: string;
  readonly place: { readonly connection: NatsConnection; readonly bucket: string };
  removeBucket(): Promise<void>;
  /** Whether the files of the stream hold these bytes. */
  isOnDisk(bytes: Uint8Array): Promise<boolean>;
}

/** After a test that has killed the server. What is sent while the client connects again can get lost: it is sent again. */
const RECONNECTED_WITHIN_MS = 20_000;
const ANSWERED_WITHIN_MS = 1_000;

/** A server and a connection for all tests of the file or of the `describe` that this is called in. */
export function natsSuite(): NatsSuite {
  let server: NatsServer;
  let connection: NatsConnection;
  let bucket: string;
  const removeBucket = async () => {
    const until = performance.now() + RECONNECTED_WITHIN_MS;
    const remove = () =>
      connection.request(`$JS.API.STREAM.DELETE.${bucket}`, undefined, { timeout: ANSWERED_WITHIN_MS });
    for (;;) {
      try {
        return void (await remove());
      } catch (error) {
        if (performance.now() > until) throw error;
        await pause(ANSWERED_WITHIN_MS / 10);
      }
    }
  };
  beforeAll(async () => {
    server = await startNatsServer();
    connection = await connectNats({ url: server.url, name: 'test' });
  });
  afterAll(async () => {
    await connection.close();
    await server.remove();
  });
  beforeEach(() => {
    bucket = `test-${randomBytes(6).toString('hex')}`;
  });
  afterEach(removeBucket);
  return {
    get server() {
      return server;
    },
    get connection() {
      return connection;
    },
    get bucket() {
      return bucket;
    },
    get place() {
      return { connection, bucket };
    },
    removeBucket,
    isOnDisk: async (bytes) => {
      const folder = join(server.folder, 'data', 'jetstream', '$G', 'streams', bucket, 'msgs');
      const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
      return files.some((content) => content.includes(Buffer.from(bytes)));
    },
  };
}
