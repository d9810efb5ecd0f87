import { type ChildProcess, fork } from 'node:child_process';
import { errorFromRecord, type Json } from '#platform/kernel';
import { ChildEndedError, ChildStartError, JobReturnedError, memoryError } from './errors.ts';
import type { JobKind } from './kind.ts';
import type { JobRequest, JobResponse } from './messages.ts';

const fromSource = import.meta.url.endsWith('.ts');
/** A child that has not begun with its job by then is given up. Wide, for machines under load. */
const START_MS = 60_000;
/** From the end of the child to the end of its standard error. */
const CLOSE_MS = 1_000;
/** Resident memory after a job, above which a child is not kept for short jobs. Bytes. */
const GROWN_BYTES = 256 * 1024 * 1024;
/** Where the engine says that the heap limit was exceeded, before its stack trace. */
const STDERR_TAIL = 16_384;

/** What the caller of a job hears of it before its end. */
export interface JobWatcher {
  /** The work begins. */
  readonly onStart: () => void;
  readonly onReport: (value: Json) => void;
}

interface AssignedJob {
  readonly request: JobRequest;
  isStarted: boolean;
  readonly watcher: JobWatcher;
  readonly resolve: (answer: Json) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A child process that does one job at a time, in the order in which they are given to it. It leads a process group of its own, so that its descendants end with it.
 * Idle, it does not keep this process alive.
 */
export class Child {
  readonly kind: JobKind;
  readonly ended: Promise<void>;
  readonly #process: ChildProcess;
  /** Jobs that are not done, in order. */
  readonly #given = new Map<number, AssignedJob>();
  #startTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #stderr = '';
  #isEnding = false;
  #isRetired = false;
  #isGrown = false;

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
        clearTimeout(this.#startTimer);
        for (const { isStarted, reject } of this.#given.values()) reject(this.#endError(reason, isStarted));
        this.#given.clear();
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

  /** True once it takes no further jobs. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Whether its last job has left it with much memory. */
  get isGrown(): boolean {
    return this.#isGrown;
  }

  /** Jobs that it was given and that are not done. */
  get pending(): number {
    return this.#given.size;
  }

  /**
   * @param signal aborted, the job is not begun, or the child is ended
   * @throws ChildStartError if the child ended before the work began; JobReturnedError if it was retired before;
   *   ChildEndedError, JobMemoryError if it ended later; what the handler threw; the reason of the signal
   */
  run(request: Omit<JobRequest, 'id'>, watcher: JobWatcher, signal: AbortSignal): Promise<Json> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const abandon = () => {
        const given = this.#given.get(id);
        if (given?.isStarted) this.kill();
        else this.#given.delete(id);
        reject(signal.reason);
      };
      const settle =
        <T>(act: (value: T) => void) =>
        (value: T) => {
          signal.removeEventListener('abort', abandon);
          act(value);
        };
      const given: AssignedJob = {
        request: { id, ...request },
        isStarted: false,
        watcher,
        resolve: settle(resolve),
        reject: settle(reject),
      };
      signal.addEventListener('abort', abandon, { once: true });
      this.#given.set(id, given);
      this.#expectStart();
      this.#ref();
      this.#process.send(given.request, (error) => {
        if (error) this.kill();
      });
    });
  }

  /** Gives back the jobs that it has not begun. It is to be ended after the present one. */
  retire(): void {
    this.#isRetired = true;
    for (const [id, { isStarted, reject }] of this.#given) {
      if (isStarted) continue;
      this.#given.delete(id);
      reject(new JobReturnedError('The child process takes no further jobs'));
    }
  }

  /** Ends the child and its descendants at once: they hold nothing that must be saved. */
  kill(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#ref();
    killGroup(this.#process.pid);
  }

  #receive(response: JobResponse): void {
    const given = this.#given.get(response.id);
    if ('started' in response) {
      // Nobody waits for a job that was aborted, and no limit would hold for it.
      if (given === undefined) {
        this.kill();
        return;
      }
      given.isStarted = true;
      clearTimeout(this.#startTimer);
      given.watcher.onStart();
      return;
    }
    if ('report' in response) {
      given?.watcher.onReport(response.report);
      return;
    }
    this.#given.delete(response.id);
    if (this.#given.size === 0) this.#unref();
    this.#expectStart();
    if ('fault' in response) given?.reject(errorFromRecord(response.fault));
    else {
      this.#isGrown = response.rssBytes > GROWN_BYTES;
      given?.resolve(response.answer);
    }
  }

  /** The first job begins within a time, counted from the end of the one before it. */
  #expectStart(): void {
    const [first] = this.#given.values();
    if (first === undefined || first.isStarted) return;
    clearTimeout(this.#startTimer);
    this.#startTimer = setTimeout(() => this.kill(), START_MS);
  }

  #endError(reason: string, isStarted: boolean): Error {
    const description = `The child process ended ${isStarted ? 'during' : 'before'} the work (${reason})`;
    if (!isStarted) return new ChildStartError(`${description} ${this.#stderr}`.trim());
    return /out of memory/.test(this.#stderr) ? memoryError(this.kind.limits) : new ChildEndedError(description);
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
