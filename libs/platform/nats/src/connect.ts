import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { jetstreamManager } from '@nats-io/jetstream';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  type Server,
} from '@nats-io/transport-node';
import { type NatsAddress, parseNatsUrl } from './address.ts';
import { NatsAddressError, NatsUnreachableError, NatsUnsuitableError } from './errors.ts';
import { isNobodyThere } from './failures.ts';

const TIMEOUT_MS = 5_000;
const PING_EVERY_MS = 5_000;
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const OLDEST = [2, 9];

/** @see connectNats */
export async function open({ url, name }: { readonly url: string; readonly name: string }): Promise<NatsConnection> {
  const address = parseNatsUrl(url);
  const pauses = new Pauses();
  const connection = await connectTo(address, {
    name,
    servers: [...address.servers],
    timeout: TIMEOUT_MS,
    // Leaves an unresponsive server after about fifteen seconds; the default is six minutes.
    pingInterval: PING_EVERY_MS,
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true,
    // With async traces every request creates two errors with stacks, even if it succeeds.
    noAsyncTraces: true,
    // The client compares clock times: after its clock was set back, it would not dial until the old time is reached again.
    reconnectDelayHandler: () => Number.NEGATIVE_INFINITY,
    reconnectToServer: ([server]) => (server === undefined ? null : { server, delay: pauses.before(server) }),
    ...(await credentials(address)),
  });
  void pauses.watch(connection);
  try {
    await checkServer(connection, address);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return connection;
}

async function connectTo({ servers }: NatsAddress, options: ConnectionOptions): Promise<NatsConnection> {
  try {
    return await connect(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    throw new NatsUnreachableError(`NATS at ${servers.join(', ')} cannot be reached: ${reason}`, { cause: error });
  }
}

async function credentials({ user, password, token, credentialsFile, tls }: NatsAddress): Promise<ConnectionOptions> {
  return {
    ...(user !== null && { user }),
    ...(password !== null && { pass: password }),
    ...(token !== null && { token }),
    ...(credentialsFile !== null && { authenticator: credsAuthenticator(await readCredentials(credentialsFile)) }),
    ...(tls && { tls: {} }),
  };
}

async function readCredentials(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new NatsAddressError(`The NATS credentials file ${path} cannot be read: ${String(error)}`, { cause: error });
  }
}

/** @throws NatsUnsuitableError, NatsUnreachableError */
async function checkServer(connection: NatsConnection, { servers }: NatsAddress): Promise<void> {
  const version = connection.info?.version ?? 'unknown';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    throw new NatsUnsuitableError(
      `NATS at ${servers.join(', ')} is version ${version}; ${OLDEST.join('.')} or newer is needed`,
    );
  }
  try {
    await jetstreamManager(connection, { timeout: TIMEOUT_MS });
  } catch (error) {
    if (!isNobodyThere(error)) {
      throw new NatsUnreachableError(`JetStream of NATS at ${servers.join(', ')} does not answer: ${String(error)}`, {
        cause: error,
      });
    }
    throw new NatsUnsuitableError(
      `NATS at ${servers.join(', ')} has no JetStream for this account: start it with -js, or enable it for the account`,
      { cause: error },
    );
  }
}

/** Pauses between attempts to connect to a server, growing with the length of the outage. */
class Pauses {
  readonly #dialledAt = new Map<string, number>();
  #downSince: number | null = null;

  /** Returns the pause before a server is dialled. Milliseconds. */
  before({ listen }: Pick<Server, 'listen'>): number {
    const now = performance.now();
    const down = this.#downSince === null ? 0 : now - this.#downSince;
    const between = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS + down / 4) + randomInt(SHORTEST_PAUSE_MS);
    const pause = Math.max(0, (this.#dialledAt.get(listen) ?? Number.NEGATIVE_INFINITY) + between - now);
    this.#dialledAt.set(listen, now + pause);
    return pause;
  }

  async watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') this.#downSince ??= performance.now();
      if (type === 'reconnect') this.#downSince = null;
    }
  }
}
