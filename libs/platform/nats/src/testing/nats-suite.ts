import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectNats, type NatsConnection } from '../index.ts';
import { type NatsServer, startNatsServer } from './nats-server.ts';

/** Fixtures of a suite, valid while its tests run. */
export interface NatsSuite {
  /** Belongs to the suite; a test may kill it. */
  readonly server: NatsServer;
  readonly connection: NatsConnection;
  /** Name of a stream that does not exist when a test begins and is removed after it. */
  readonly bucket: string;
  readonly options: { readonly connection: NatsConnection; readonly bucket: string };
  removeBucket(): Promise<void>;
  /** Whether the files of the stream hold these bytes. */
  isOnDisk(bytes: Uint8Array): Promise<boolean>;
}

/** After a test that killed the server. A request that is sent during the reconnection can be lost, so it is repeated. */
const RECONNECTED_WITHIN_MS = 20_000;
const ANSWERED_WITHIN_MS = 1_000;

/** Starts a server and a connection for all tests of the file or of the enclosing `describe`. */
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
    get options() {
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
