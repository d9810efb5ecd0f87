import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { STAND_IN } from '../../model/drivers/processes/server.ts';
import { INSTALLATION_KEY, Mneme } from '../../support/mneme.ts';

const CLOCK = `--import=${new URL('../clock/set-by-file.ts', import.meta.url).href}`;

/** Settings of the processes, and of commands that run beside them. */
export const CHAOS_ENV = {
  ...STAND_IN,
  MNEME_INSTALLATION_KEY: INSTALLATION_KEY,
  NODE_OPTIONS: `${STAND_IN.NODE_OPTIONS} ${CLOCK}`,
};

/** A start on a full disk or without an engine may fail, so it is repeated. Milliseconds. */
const START_WITHIN_MS = 120_000;
const START_AGAIN_MS = 500;
/** Refuses connections. A port that is free may be taken by a server of another test. */
const NO_URL = 'http://127.0.0.1:9';

export interface ServerProcessOptions {
  /** Different for each process of an installation. */
  readonly name: string;
  readonly dataFolder: string;
  /** Folder of the file with which the clock of the process is set. */
  readonly controlFolder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A process of the installation. It is ended and started again many times. */
export class ServerProcess {
  readonly name: string;
  readonly #options: ServerProcessOptions;
  readonly #clock: string;
  readonly #outputs: (readonly string[])[] = [];
  #mneme: Mneme | null = null;
  #starting: Promise<void> | null = null;
  /** False while a fault has ended it. */
  #shouldRun = false;
  #url = NO_URL;
  #life = 0;

  constructor(options: ServerProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#clock = join(options.controlFolder, `clock-${options.name}`);
  }

  /** Changes with every start. */
  get url(): string {
    return this.#url;
  }

  /** Number of starts. */
  get life(): number {
    return this.#life;
  }

  /** Whether it ended although no fault ended it. */
  get hasCrashed(): boolean {
    return this.#shouldRun && this.#mneme?.running === false;
  }

  /** The end of its output. */
  get lastOutput(): string {
    return this.#mneme?.output.slice(-5).join('\n') ?? '';
  }

  /** The lines of its output that hold a text, those of earlier starts included. */
  saidOf(text: string): readonly string[] {
    return this.#outputs.flat().filter((line) => line.includes(text));
  }

  /** No effect if it runs. @throws Error if it cannot be started */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Ends it by a signal, and waits for the end. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    // A failed start has left no process.
    await this.#starting?.catch(() => {});
    this.#shouldRun = false;
    await this.#mneme?.kill(signal);
    this.#url = NO_URL;
  }

  /** Suspends it with its connections open. */
  async freeze(milliseconds: number): Promise<void> {
    if (this.#mneme?.running !== true) return;
    const { pid } = this.#mneme;
    send(pid, 'SIGSTOP');
    await pause(milliseconds);
    send(pid, 'SIGCONT');
  }

  /** Kills one of its child processes. No effect if it has none. */
  async killChild(pick: (pids: readonly number[]) => number): Promise<void> {
    if (this.#mneme?.running !== true) return;
    const children = await childrenOf(this.#mneme.pid);
    if (children.length > 0) send(pick(children), 'SIGKILL');
  }

  /** @param ahead difference from the clock of the machine. Milliseconds. */
  async setClock(ahead: number): Promise<void> {
    await writeFile(this.#clock, String(ahead));
  }

  async #start(): Promise<void> {
    if (this.#mneme?.running === true) return;
    const { dataFolder, env } = this.#options;
    for (const end = Date.now() + START_WITHIN_MS; ; await pause(START_AGAIN_MS)) {
      try {
        const all = { ...CHAOS_ENV, CHAOS_CLOCK: this.#clock, ...env };
        this.#mneme = await Mneme.start({ folder: dataFolder, env: all });
        break;
      } catch (error) {
        // The first start is without faults.
        if (this.#life === 0 || Date.now() > end) throw error;
      }
    }
    this.#outputs.push(this.#mneme.output);
    this.#url = this.#mneme.url;
    this.#life += 1;
    this.#shouldRun = true;
  }
}

/** No effect if the process has ended. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function childrenOf(parent: number): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_, i) => parents[i] === parent);
}

/** Returns null if the process has ended. */
async function parentOf(pid: number): Promise<number | null> {
  try {
    // `pid (name) state parent …`, where the name may have spaces and brackets.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}
