import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { eventually } from './mneme.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface CommandOptions {
  /** Besides PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** User that runs the command. */
  readonly uid?: number;
}

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const environment = (env: CommandOptions['env'] = {}) => ({ PATH: process.env.PATH, HOME: process.env.HOME, ...env });

/** Returns the command of an npm script of this checkout, without the build before it. */
export function commandOf(script: 'start' | 'start:worker'): string {
  const { scripts } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<typeof script, string>;
  };
  return scripts[script].replace(/^node/, process.execPath);
}

/** Runs a command of the shell in the root of the project, without a terminal. */
export async function runCommand(command: string, { env, uid }: CommandOptions = {}): Promise<Outcome> {
  const child = spawn('sh', ['-c', command], {
    cwd: ROOT,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text: Buffer) => {
    out += text;
  });
  child.stderr.on('data', (text: Buffer) => {
    err += text;
  });
  await once(child, 'close');
  return { code: child.exitCode, out, err };
}

/** A command on a pseudo-terminal, whose keys are pressed by the test. */
export class Terminal {
  /** All that was shown. */
  output = '';
  readonly #process: ChildProcess;
  readonly #ended: Promise<number | null>;

  /** @param command of the shell, run in the root of the project */
  constructor(command: string, { env }: CommandOptions = {}) {
    // From util-linux. Its exit code is that of the command, or 128 and the number of the signal that ended it.
    this.#process = spawn('script', ['-qefc', `exec ${command}`, '/dev/null'], {
      cwd: ROOT,
      env: environment({ TERM: 'xterm-256color', ...env }),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#process.stdout?.on('data', (text: Buffer) => {
      this.output += text;
    });
    this.#process.stdin?.on('error', () => {});
    this.#ended = once(this.#process, 'close').then(() => this.#process.exitCode);
  }

  /** Waits until the output matches. */
  shows(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(async () => {
      const found = pattern.exec(this.output);
      if (found === null && this.#process.exitCode !== null) throw new Error(`The command has ended:\n${this.output}`);
      return found;
    });
  }

  press(key: 'Ctrl-C'): void {
    if (key === 'Ctrl-C') this.#process.stdin?.write('\x03');
  }

  /** Returns the exit code. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  get running(): boolean {
    return this.#process.exitCode === null;
  }

  /** Ends the command if it still runs. */
  async close(): Promise<void> {
    if (this.running) this.#process.kill('SIGKILL');
    await this.#ended;
  }
}

/** Returns the ids of the processes that have a text, e.g. a data folder, in their environment. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}
