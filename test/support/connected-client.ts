import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

/** What the program saw of a step. */
export interface Seen {
  readonly me?: Readonly<Record<string, unknown>>;
  readonly tokens?: { readonly access_token: string; readonly refresh_token: string; readonly scope: string };
  readonly error?: string;
  /** Where the browser is to go. */
  readonly authorize?: string | null;
}

/** A program with an official client of the Model Context Protocol, which is connected by OAuth (`clients/mcp/oauth.mjs`). */
export class ConnectedClient {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  static async start(
    folder: string,
    options: { readonly line: string; readonly way: 'cimd' | 'dcr'; readonly env: Readonly<Record<string, string>> },
  ): Promise<{ readonly client: ConnectedClient; readonly seen: Seen }> {
    const client = new ConnectedClient(folder, options);
    return { client, seen: await client.#next() };
  }

  private constructor(folder: string, { line, way, env }: Parameters<typeof ConnectedClient.start>[1]) {
    this.#process = spawn(process.execPath, [join(folder, 'oauth.mjs'), line, way], {
      ...{ env: { PATH: process.env.PATH, ...env }, stdio: ['pipe', 'pipe', 'ignore'] },
    });
    this.#reader = createInterface({ input: this.#process.stdout as NonNullable<ChildProcess['stdout']> });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** @param command `call`, `connect`, or the address to which the browser was sent back */
  step(command: string): Promise<Seen> {
    this.#process.stdin?.write(`${command}\n`);
    return this.#next();
  }

  async stop(): Promise<void> {
    const gone = once(this.#process, 'close');
    this.#process.kill('SIGTERM');
    this.#reader.close();
    await gone;
  }

  async #next(): Promise<Seen> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the program of the client has ended');
    return JSON.parse(value) as Seen;
  }
}
