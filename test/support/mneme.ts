import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../../libs/platform/kernel/src/testing/eventually.ts';
import { endEngines, engineSettings } from './combinations.ts';
import { type CommandResult, runMneme } from './command.ts';

export { eventually, until, whileItLasts } from '../../libs/platform/kernel/src/testing/eventually.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export const OWNER_KEY = 'sm_test_owner_key_0123456789';
export const INSTALLATION_KEY = 'sm_test_installation_key_0123456789';

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface MnemeOptions {
  /** An existing data folder. Default: a temporary one, removed at the end. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The built checkout to run. Default: this one. */
  readonly root?: string;
}

/** The built server in a separate process, on a free port of 127.0.0.1. */
export class Mneme {
  readonly folder: string;
  readonly url: string;
  readonly pid: number;
  readonly output: readonly string[];
  readonly #process: ChildProcess;
  readonly #options: MnemeOptions;
  #temporary: boolean;

  static async start(options: MnemeOptions = {}): Promise<Mneme> {
    const { folder, env = {}, root = ROOT } = options;
    const data = folder ?? (await mkdtemp(join(tmpdir(), 'mneme-test-')));
    const inherited = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('MNEME_') && name !== 'NODE_OPTIONS',
    );
    const child = spawn(
      process.execPath,
      startArguments(root, env.MNEME_ROLE === 'worker' ? 'start:worker' : 'start'),
      {
        cwd: root,
        env: {
          ...Object.fromEntries(inherited),
          MNEME_DATA: data,
          MNEME_PORT: '0',
          MNEME_API_KEY: OWNER_KEY,
          MNEME_EMBEDDING: 'off',
          // No test with its default settings goes to the model hub. Former versions do not know the setting.
          ...(root === ROOT && env.MNEME_EMBEDDING === undefined && { MNEME_DOWNLOADS: 'off' }),
          MNEME_RATE_LIMIT: 'off',
          MNEME_MIN_FREE_MB: '0',
          MNEME_LOG_LEVEL: 'error',
          ...(await engineSettings(data)),
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const output: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => output.push(line));
    const lines = createInterface({ input: child.stdout });
    const url = await new Promise<string>((found, failed) => {
      lines.on('line', (line) => {
        output.push(line);
        const match = /listens on (http:\S+)/.exec(line);
        if (match) found(match[1] as string);
      });
      // Not 'exit', because output can still arrive after it.
      child.once('close', (code) => failed(new Error(`The server exited with code ${code}:\n${output.join('\n')}`)));
    });
    return new Mneme({ ...options, folder: data }, url, child, output, folder === undefined);
  }

  private constructor(
    options: MnemeOptions & { readonly folder: string },
    url: string,
    process: ChildProcess,
    output: readonly string[],
    temporary: boolean,
  ) {
    this.#options = options;
    this.folder = options.folder;
    this.url = url;
    this.pid = process.pid as number;
    this.output = output;
    this.#process = process;
    this.#temporary = temporary;
  }

  async request<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const raw = typeof body === 'string' || body instanceof FormData;
    const response = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${OWNER_KEY}`,
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      redirect: 'manual',
      ...(body !== undefined && { body: raw ? (body as string | FormData) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') ? (JSON.parse(text) as T) : (text as T);
    return { status: response.status, headers: response.headers, body: json };
  }

  post<T = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>> {
    return this.request<T>('POST', path, body, headers);
  }

  get<T = Record<string, unknown>>(path: string, headers?: Record<string, string>): Promise<Answer<T>> {
    return this.request<T>('GET', path, undefined, headers);
  }

  /** Adds a document and returns its id. A 503 of a busy machine is tried again, as clients do. */
  add(content: string, fields: object = {}): Promise<string> {
    let retries = 0;
    return eventually(async () => {
      const headers = { 'x-stainless-retry-count': String(retries++) };
      const { status, body } = await this.post<{ id: string }>('/v3/documents', { content, ...fields }, headers);
      if (status === 503) return null;
      if (status !== 200) throw new Error(`POST /v3/documents returned ${status}: ${JSON.stringify(body)}`);
      return body.id;
    });
  }

  /** Waits until a document is done or failed. */
  async settled(id: string, timeoutMs?: number): Promise<Record<string, unknown>> {
    return eventually(async () => {
      const { status, body } = await this.get(`/v3/documents/${encodeURIComponent(id)}`);
      if (status !== 200) throw new Error(`GET /v3/documents/${id} returned ${status}`);
      return ['done', 'failed'].includes(body.status as string) ? body : null;
    }, timeoutMs);
  }

  async addAndWait(content: string, fields: object = {}): Promise<string> {
    const id = await this.add(content, fields);
    const { status, processingError } = await this.settled(id);
    if (status !== 'done') throw new Error(`${id} is ${status}: ${JSON.stringify(processingError)}`);
    return id;
  }

  /** Sends the signal; returns the exit code, or null if the signal ended the process. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    if (this.running) {
      const gone = once(this.#process, 'exit');
      this.#process.kill(signal);
      await gone;
    }
    return this.#process.exitCode;
  }

  /**
   * Ends the server by the signal if it runs, and starts it on the same data, which the returned one removes.
   * @param env settings that change
   */
  async restart(signal: NodeJS.Signals = 'SIGTERM', env: MnemeOptions['env'] = {}): Promise<Mneme> {
    await this.kill(signal);
    const next = await Mneme.start({ ...this.#options, env: { ...this.#options.env, ...env } });
    next.#temporary = this.#temporary;
    this.#temporary = false;
    return next;
  }

  /** Runs `mneme ARGS` on the data and engines of this server, which may be stopped. */
  async cli(...args: readonly string[]): Promise<CommandResult> {
    const env = { MNEME_EMBEDDING: 'off', ...(await engineSettings(this.folder)) };
    return runMneme(args, { folder: this.folder, env });
  }

  get running(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Stops the server and removes its folder if it is temporary. */
  async stop(): Promise<void> {
    await this.kill('SIGTERM');
    if (!this.#temporary) return;
    await endEngines(this.folder);
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * Returns the arguments that an npm script of a checkout passes to `node`. Servers of suites may take more memory for less
 * garbage collection, which takes a quarter of the processor time of a start; benchmarks measure the settings of `npm start`.
 */
function startArguments(root: string, script: 'start' | 'start:worker'): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<typeof script, string>;
  };
  const all = scripts[script].split(' ').slice(1);
  if (process.env.JEST_WORKER_ID === undefined) return all;
  return [
    '--max-semi-space-size=32',
    ...all.filter((one) => !/^--(max-semi-space-size|heap-growing-percent)=/.test(one)),
  ];
}
