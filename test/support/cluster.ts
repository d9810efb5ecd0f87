import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeOpenSearchViews } from '#read-side/views';
import { addressOf } from './addresses.ts';
import { type CommandResult, runMneme } from './command.ts';
import { EventStoreDbServer } from './eventstoredb/server.ts';
import { listen } from './listen.ts';
import { Mneme, type MnemeOptions } from './mneme.ts';

export interface ClusterOptions {
  /** Default: the shared servers of the test run. */
  readonly natsUrl?: string;
  readonly openSearchUrl?: string;
  /** Default: random. */
  readonly prefix?: string;
  /** Default: a new server with an empty log. Stopped with the cluster. */
  readonly log?: EventStoreDbServer;
  readonly env?: Readonly<Record<string, string>>;
}

/** Options of a single process of a cluster. */
export type ProcessOptions = Pick<MnemeOptions, 'env' | 'root'>;

/** Processes on distributed engines with their own prefix and event log. */
export class Cluster {
  readonly prefix: string;
  readonly log: EventStoreDbServer;
  readonly processes: Mneme[] = [];
  readonly env: Readonly<Record<string, string>>;

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    return new Cluster(options.log ?? (await EventStoreDbServer.start()), options);
  }

  private constructor(log: EventStoreDbServer, { natsUrl, openSearchUrl, prefix, env }: ClusterOptions) {
    this.log = log;
    this.prefix = prefix ?? `t${randomBytes(6).toString('hex')}`;
    this.env = {
      MNEME_EVENTSTORE_URL: log.url,
      MNEME_NATS_URL: natsUrl ?? addressOf('MNEME_TEST_NATS_URL'),
      MNEME_OPENSEARCH_URL: openSearchUrl ?? addressOf('MNEME_TEST_OPENSEARCH_URL'),
      MNEME_PREFIX: this.prefix,
      ...env,
    };
  }

  async start(role: 'api' | 'worker', { env, root }: ProcessOptions = {}): Promise<Mneme> {
    const started = await Mneme.start({ env: { ...this.env, MNEME_ROLE: role, ...env }, ...(root && { root }) });
    this.processes.push(started);
    return started;
  }

  /** Runs `mneme ARGS` in a separate process. */
  async cli(...args: readonly string[]): Promise<CommandResult> {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-cluster-'));
    try {
      return await runMneme(args, { folder, env: { MNEME_EMBEDDING: 'off', ...this.env } });
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  /** Kills all processes, because engines may be unreachable, and removes their data. */
  async stop(): Promise<void> {
    await Promise.all(
      this.processes.map(async (one) => {
        await one.kill('SIGKILL');
        await one.stop();
      }),
    );
    await this.log.stop();
    await removeOpenSearchViews({ url: addressOf('MNEME_TEST_OPENSEARCH_URL'), prefix: this.prefix });
  }
}

/** TCP proxy that makes a server unreachable for processes but not for the test. */
export class TcpProxy {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #holds = false;
  #port = 0;
  #cutTrigger: { readonly text: string; readonly onCut: () => void } | null = null;

  /** @param target e.g. `http://127.0.0.1:9200` */
  static async start(target: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(target));
    await proxy.open();
    return proxy;
  }

  private constructor(target: URL) {
    this.#target = target;
  }

  get url(): string {
    return `${this.#target.protocol}//127.0.0.1:${this.#port}`;
  }

  /** Listens again on the same port. No effect if it is open. */
  async open(): Promise<void> {
    if (this.#server !== null) return;
    const server = createServer((near) => {
      if (this.#holds) {
        near.on('error', () => {});
        this.#sockets.add(near);
        return;
      }
      const far = connect(Number(this.#target.port), this.#target.hostname);
      near.on('data', (sent) => {
        if (this.#cutTrigger !== null && sent.includes(this.#cutTrigger.text))
          void this.cut().then(this.#cutTrigger.onCut);
      });
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.once('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
    this.#port = await listen(server, this.#port);
    this.#server = server;
  }

  /** Cuts the proxy when a client sends the text; resolves after the cut. */
  cutAt(text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#cutTrigger = { text, onCut: resolve };
    return promise.finally(() => {
      this.#cutTrigger = null;
    });
  }

  /** Simulates an unresponsive server until `cut`: accepts connections and data, and sends nothing. */
  hold(): void {
    this.#holds = true;
    for (const socket of this.#sockets) socket.unpipe();
  }

  /** Closes all connections and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    this.#holds = false;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }
}
