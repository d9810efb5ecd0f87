import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readEnvironment } from '#platform/config';

/** An error whose message is printed without a stack trace. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

const MAIN = fileURLToPath(new URL('../../server/src/main.js', import.meta.url));
/** Milliseconds. */
const START_WAIT = 20_000;
/** Milliseconds. */
const END_WAIT = 10_000;

/** Settings of the demo's server. */
export interface ServerSettings {
  /** Of the user, as is the next. */
  readonly embedding: string;
  readonly modelsFolder: string | null;
  /** Address of the provider of language models that it knows as `demo`. */
  readonly provider: string | null;
}

/** The built server as a child process with a temporary data folder, a free port and a generated key. */
export class DemoServer {
  readonly url: string;
  readonly key: string;
  readonly folder: string;
  readonly #process: ChildProcess;
  readonly #stderr: string[];

  /** @throws DemoError if the server does not start; the reason of the signal */
  static async start({ embedding, modelsFolder, provider }: ServerSettings, stop: AbortSignal): Promise<DemoServer> {
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
        ...(provider !== null && {
          MNEME_PROXY_PROVIDERS: JSON.stringify([{ name: 'demo', base: provider, format: 'openai' }]),
          // On a busy machine, too, calls have what is remembered.
          MNEME_PROXY_MEMORY_MS: '10000',
        }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C in a terminal signals the whole process group; `end` stops this process instead.
      detached: true,
    });
    const stderr: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line));
    try {
      return new DemoServer(await listening(child, stderr, stop), key, folder, child, stderr);
    } catch (error) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(url: string, key: string, folder: string, process: ChildProcess, stderr: string[]) {
    this.url = url;
    this.key = key;
    this.folder = folder;
    this.#process = process;
    this.#stderr = stderr;
  }

  /** Rejects when the server exits, or with the signal's reason. */
  async lost(signal: AbortSignal): Promise<never> {
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    if (this.#running) await Promise.race([once(this.#process, 'exit'), aborted]);
    throw new DemoError(`The server exited unexpectedly. ${this.#stderr.slice(-3).join('\n')}`);
  }

  /** Stops the server, by SIGKILL after a timeout, and removes its folder. */
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

  /** Kills the server and removes its folder, for a second Ctrl-C. */
  endAtOnce(): void {
    this.#process.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get #running(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }
}

/** Returns the address that the server prints when it listens. @throws DemoError; the reason of the signal */
function listening(child: ChildProcess, stderr: readonly string[], stop: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    if (stop.aborted) reject(stop.reason);
    stop.addEventListener('abort', () => reject(stop.reason), { once: true });
    const timer = setTimeout(
      () => reject(new DemoError(`The server did not start within ${START_WAIT / 1000} s`)),
      START_WAIT,
    );
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const url = /listens on (http:\S+)/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.once('error', (error) => reject(new DemoError(`The server cannot be started: ${error.message}`)));
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new DemoError(`The server exited with code ${code}. ${stderr.join('\n')}`));
    });
  });
}
