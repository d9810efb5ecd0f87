import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { eventually, OWNER_KEY } from './mneme.ts';
import type { Outcome } from './terminal.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TOOLS = ['bin', 'tools', '.swcrc', 'package.json'];
const SOURCES = ['apps', 'libs', 'examples', 'nest-cli.json', 'tsconfig.json'];

/** A command that runs in a checkout. It leads a process group, because npm starts a shell that starts the program. */
export class RunningCommand {
  output = '';
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;

  constructor(process: ChildProcess) {
    this.#process = process;
    this.#closed = once(process, 'close');
    for (const stream of [process.stdout, process.stderr]) {
      stream?.on('data', (text: Buffer) => {
        this.output += text;
      });
    }
  }

  /** Waits until the output after a position matches. */
  shows(pattern: RegExp, after = 0): Promise<RegExpExecArray> {
    return eventually(async () => {
      const found = pattern.exec(this.output.slice(after));
      if (found === null && !this.#isRunning) throw new Error(`The command has ended:\n${this.output}`);
      return found;
    });
  }

  /** Writes to its standard input. */
  write(text: string): void {
    this.#process.stdin?.write(text);
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#isRunning) process.kill(-(this.#process.pid as number), signal);
    await this.#closed;
  }

  get #isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }
}

/** A copy of this checkout in a temporary folder, with the packages of this one. */
export class Checkout {
  readonly root: string;
  readonly #running: RunningCommand[] = [];

  static async copy(): Promise<Checkout> {
    const checkout = await Checkout.withTools();
    for (const name of SOURCES) await cp(join(ROOT, name), join(checkout.root, name), { recursive: true });
    return checkout;
  }

  /** Has the settings and tools of the build, and no sources. */
  static async withTools(): Promise<Checkout> {
    const root = await mkdtemp(join(tmpdir(), 'mneme-checkout-'));
    const filter = (path: string) => basename(path) !== 'node_modules';
    for (const name of TOOLS) await cp(join(ROOT, name), join(root, name), { recursive: true, filter });
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    return new Checkout(root);
  }

  private constructor(root: string) {
    this.root = root;
  }

  /** Runs a command to its end. */
  async run(program: string, ...args: readonly string[]): Promise<Outcome> {
    try {
      const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: this.root, env: this.#environment() });
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, out: stdout, err: stderr };
    }
  }

  /** Starts a command, which `remove` ends. */
  start(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningCommand {
    const options = { cwd: this.root, env: { ...this.#environment(), ...env }, detached: true };
    const running = new RunningCommand(spawn(program, args, options));
    this.#running.push(running);
    return running;
  }

  /** Builds in a process of its own, and returns the name of the build. */
  async build(): Promise<string> {
    const { code, err } = await this.run(process.execPath, 'tools/build.mjs');
    if (code !== 0) throw new Error(err);
    return this.current();
  }

  /** Returns the name of the newest build. */
  current(): string {
    return readFileSync(join(this.root, 'dist/current'), 'utf8');
  }

  async change(path: string, edit: (text: string) => string): Promise<void> {
    await writeFile(join(this.root, path), edit(await readFile(join(this.root, path), 'utf8')));
  }

  async remove(): Promise<void> {
    await Promise.all(this.#running.map((running) => running.end('SIGKILL')));
    await rm(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  #environment(): NodeJS.ProcessEnv {
    const PATH = [join(this.root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
    return { PATH, HOME: process.env.HOME, TMPDIR: tmpdir() };
  }
}

/** Settings of a server on a free port, with its data in a folder of the checkout. */
export const serverSettings = ({ root }: Checkout, folder: string) => ({
  MNEME_PORT: '0',
  MNEME_DATA: join(root, folder),
  MNEME_API_KEY: OWNER_KEY,
  MNEME_EMBEDDING: 'off',
  MNEME_DOWNLOADS: 'off',
  MNEME_MIN_FREE_MB: '0',
});
