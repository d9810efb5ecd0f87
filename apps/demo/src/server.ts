import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readEnvironment } from '#config';

/** Something that a person is told in a sentence. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

const MAIN = join(import.meta.dirname, '../../server/src/main.js');
const START_WAIT = 20_000;
const END_WAIT = 10_000;

/** What the demo takes over of the settings around it. */
export interface ModelSettings {
  readonly embedding: string;
  readonly modelsFolder: string | null;
}

/** The built server as a process of its own, on a temporary folder, a free port and a key made for it. */
export class DemoServer {
  readonly url: string;
  readonly key: string;
  readonly folder: string;
  readonly #process: ChildProcess;
  readonly #complaints: string[];

  /** @throws DemoError when it does not start */
  static async start({ embedding, modelsFolder }: ModelSettings): Promise<DemoServer> {
    if (!existsSync(MAIN)) throw new DemoError('The server is not built. Run "npm run build" first.');
    const folder = await mkdtemp(join(tmpdir(), 'mneme-demo-'));
    const key = `sm_demo_${randomBytes(16).toString('hex')}`;
    const others = Object.entries(readEnvironment()).filter(([name]) => !name.startsWith('MNEME_'));
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
      env: {
        ...Object.fromEntries(others),
        MNEME_DATA: folder,
        MNEME_PORT: '0',
        MNEME_API_KEY: key,
        MNEME_RATE_LIMIT: 'off',
        MNEME_LOG_LEVEL: 'error',
        MNEME_EMBEDDING: embedding,
        ...(modelsFolder !== null && { MNEME_MODELS: modelsFolder }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C in a terminal reaches a whole process group; this one is ended in order, by `end`.
      detached: true,
    });
    const complaints: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
    try {
      return new DemoServer(await listening(child, complaints), key, folder, child, complaints);
    } catch (error) {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(url: string, key: string, folder: string, process: ChildProcess, complaints: string[]) {
    this.url = url;
    this.key = key;
    this.folder = folder;
    this.#process = process;
    this.#complaints = complaints;
  }

  /** Rejects when the server ends by itself, or with the signal's reason. */
  async lost(signal: AbortSignal): Promise<never> {
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    if (this.#running) await Promise.race([once(this.#process, 'exit'), aborted]);
    throw new DemoError(`The server has ended by itself. ${this.#complaints.slice(-3).join('\n')}`);
  }

  /** Ends the server in order, if need be by force, and removes its folder. */
  async end(): Promise<void> {
    if (this.#running) {
      const exit = once(this.#process, 'exit');
      const force = setTimeout(() => this.#process.kill('SIGKILL'), END_WAIT);
      this.#process.kill('SIGTERM');
      await exit;
      clearTimeout(force);
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  get #running(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }
}

/** @returns the address that the server says it listens on */
function listening(child: ChildProcess, complaints: readonly string[]): Promise<string> {
  return new Promise((found, failed) => {
    const timer = setTimeout(
      () => failed(new DemoError(`The server did not start within ${START_WAIT / 1000} s`)),
      START_WAIT,
    );
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const url = /listens on (http:\S+)/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      found(url);
    });
    child.once('error', (error) => failed(new DemoError(`The server cannot be started: ${error.message}`)));
    child.once('exit', (code) => {
      clearTimeout(timer);
      failed(new DemoError(`The server ended with code ${code}. ${complaints.join('\n')}`));
    });
  });
}
