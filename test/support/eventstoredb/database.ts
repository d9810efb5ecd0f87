import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openEventStoreDb, type StreamKeys } from '#ports/event-store';
import { EventStoreDbServer, type EventStoreDbServerOptions } from './server.ts';

/** In-memory key store for specs, which clients share. */
export class MemoryStreamKeys implements StreamKeys {
  /** By `<stream>/<id>`. */
  readonly held = new Map<string, Uint8Array>();
  /** Streams whose keys were destroyed. */
  readonly destroyed = new Set<string>();
  /** Thrown by every call while it is set. */
  fault: Error | null = null;
  /** Calls that met a fault. */
  refusals = 0;

  async put(stream: string, id: string, key: Uint8Array): Promise<void> {
    this.#check();
    this.held.set(`${stream}/${id}`, Uint8Array.from(key));
  }

  async get(stream: string, id: string): Promise<Uint8Array | null> {
    this.#check();
    return this.held.get(`${stream}/${id}`) ?? null;
  }

  async destroy(stream: string): Promise<void> {
    this.#check();
    for (const name of this.namesOf(stream)) this.held.delete(name);
    this.destroyed.add(stream);
  }

  async isDestroyed(stream: string): Promise<boolean> {
    this.#check();
    return this.destroyed.has(stream);
  }

  async among(streams: ReadonlySet<string>): Promise<readonly string[]> {
    this.#check();
    return [...streams].filter((stream) => this.namesOf(stream).length > 0);
  }

  namesOf(stream: string): string[] {
    return [...this.held.keys()].filter((name) => name.startsWith(`${stream}/`));
  }

  #check(): void {
    if (this.fault === null) return;
    this.refusals += 1;
    throw this.fault;
  }
}

type Client = Awaited<ReturnType<typeof openEventStoreDb>>;

/** A database for specs: a server in this process with its keys, and clients of it. */
export class TestDatabase {
  readonly server: EventStoreDbServer;
  readonly keys = new MemoryStreamKeys();
  readonly #clients: Client[] = [];

  static async start(options?: EventStoreDbServerOptions): Promise<TestDatabase> {
    return new TestDatabase(await EventStoreDbServer.start(options));
  }

  private constructor(server: EventStoreDbServer) {
    this.server = server;
  }

  async client(
    options: Partial<Pick<Parameters<typeof openEventStoreDb>[0], 'url' | 'patience' | 'liveBytes' | 'feed'>> = {},
  ): Promise<Client> {
    const client = await openEventStoreDb({ url: this.server.url, keys: this.keys, ...options });
    this.#clients.push(client);
    return client;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.server.stop();
  }
}

/** The server in a separate process. */
export class EventStoreDbProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  static async start(): Promise<EventStoreDbProcess> {
    const main = fileURLToPath(new URL('./main.ts', import.meta.url));
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface(child.stdout);
    const [line] = (await once(lines, 'line')) as [string];
    return new EventStoreDbProcess(child, lines, (JSON.parse(line) as { url: string }).url);
  }

  private constructor(child: ChildProcess, lines: Interface, url: string) {
    this.#child = child;
    this.#lines = lines;
    this.url = url;
  }

  /** Returns the numbers of requests since the start. */
  async requests(): Promise<EventStoreDbServer['requests']> {
    const answered = once(this.#lines, 'line');
    this.#child.stdin?.write('\n');
    const [line] = (await answered) as [string];
    return JSON.parse(line) as EventStoreDbServer['requests'];
  }

  /** Makes the process unresponsive with open connections. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  /** Ends `freeze`. */
  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** Stops the process and returns its exit code. */
  async stop(): Promise<number | null> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGCONT');
    this.#child.stdin?.end();
    const [code] = (await gone) as [number | null];
    return code;
  }
}
