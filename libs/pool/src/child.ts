import { type ChildProcess, fork } from 'node:child_process';
import type { Json } from '#kernel';
import { ChildEndedError, ChildStartError, memoryError } from './errors.ts';
import type { JobKind } from './kind.ts';
import { errorOf, type JobRequest, type JobResponse } from './messages.ts';

const fromSource = import.meta.url.endsWith('.ts');
/** A child that has not begun with its job by then is given up. Wide, for machines under load. */
const START_MS = 60_000;
/** From the end of the child to the end of its standard error. */
const CLOSE_MS = 1_000;
/** Where the engine says that the heap limit was exceeded, before its stack trace. */
const STDERR_TAIL = 16_384;

interface Current {
  readonly id: number;
  isStarted: boolean;
  readonly onStart: () => void;
  readonly resolve: (answer: Json) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A child process that does one job at a time. It leads a process group of its own, so that its descendants end with it.
 * Idle, it does not keep this process alive.
 */
export class Child {
  readonly kind: JobKind;
  readonly ended: Promise<void>;
  readonly #process: ChildProcess;
  #current: Current | null = null;
  #lastId = 0;
  #stderr = '';
  #isEnding = false;

  /** @param folder the child's folder for temporary files */
  constructor(kind: JobKind, folder: string) {
    this.kind = kind;
    const entry = fromSource ? kind.entry : new URL(kind.entry.href.replace(/\.ts$/, '.js'));
    this.#process = fork(entry, [], {
      detached: true,
      env: { ...environment(), TMPDIR: folder },
      execArgv: [
        `--max-old-space-size=${kind.limits.heapMb}`,
        ...(fromSource ? ['--conditions=mneme-source'] : []),
        '--disable-warning=ExperimentalWarning',
      ],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#process.on('message', (response: JobResponse) => this.#receive(response));
    this.#process.stderr?.on('data', (text: Buffer) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL);
    });
    this.ended = new Promise((resolve) => {
      const end = (reason: string) => {
        this.#isEnding = true;
        this.#current?.reject(this.#endError(reason));
        this.#current = null;
        resolve();
      };
      this.#process.on('error', (error) => end(error.message));
      this.#process.on('exit', (code, signal) => {
        const reason = signal ?? `code ${code}`;
        // By `close` all of standard error has been read; a descendant that left the group can delay it.
        this.#process.on('close', () => end(reason));
        setTimeout(end, CLOSE_MS, reason).unref();
        killGroup(this.#process.pid);
      });
    });
    this.#unref();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** True once it has ended or was told to. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /**
   * @param onStart called when the work begins
   * @throws ChildStartError if the child ended before the work began; ChildEndedError, JobMemoryError if it ended later;
   *   what the handler threw
   */
  run(request: Omit<JobRequest, 'id'>, onStart: () => void): Promise<Json> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    const timer = setTimeout(() => this.kill(), START_MS);
    this.#current = {
      id,
      isStarted: false,
      onStart: () => {
        clearTimeout(timer);
        onStart();
      },
      resolve,
      reject,
    };
    this.#ref();
    this.#process.send({ id, ...request } satisfies JobRequest, (error) => {
      if (error) this.kill();
    });
    return promise.finally(() => clearTimeout(timer));
  }

  /** Ends the child and its descendants at once: they hold nothing that must be saved. */
  kill(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#ref();
    killGroup(this.#process.pid);
  }

  #receive(response: JobResponse): void {
    const current = this.#current;
    if (current?.id !== response.id) return;
    if ('started' in response) {
      current.isStarted = true;
      current.onStart();
      return;
    }
    this.#current = null;
    this.#unref();
    if ('fault' in response) current.reject(errorOf(response.fault));
    else current.resolve(response.answer);
  }

  #endError(reason: string): Error {
    if (/out of memory/.test(this.#stderr)) return memoryError(this.kind.limits);
    if (this.#current?.isStarted) return new ChildEndedError(`The child process ended during the work (${reason})`);
    return new ChildStartError(`The child process ended before the work began (${reason}) ${this.#stderr}`.trim());
  }

  #ref(): void {
    this.#process.ref();
    this.#process.channel?.ref();
  }

  #unref(): void {
    this.#process.unref();
    this.#process.channel?.unref();
    (this.#process.stderr as unknown as { unref(): void } | null)?.unref();
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
}

/** Without the settings of this process, which hold credentials. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MNEME_')));
}
