import { availableParallelism } from 'node:os';
import { type Json, Scratch } from '#platform/kernel';
import type { Child } from './child.ts';
import { Children } from './children.ts';
import { ChildStartError, JobReturnedError, JobSlowError, PoolClosedError } from './errors.ts';
import type { JobKind, JobLimits } from './kind.ts';
import { enforceLimits } from './limits.ts';
import { type Slot, Slots } from './slots.ts';

export interface PoolOptions {
  /** For temporary files; made when the first one is written. */
  readonly folder: string;
  /** Jobs that run at once; all but one of them may be long. At least 2. Default: one per core, 2 to 4. */
  readonly size?: number;
  /** How long a child without work is kept. Milliseconds. Default: 60000. */
  readonly idleMs?: number;
  /** A short job that runs for longer counts as a long one. Milliseconds. Default: 5000. */
  readonly shortMs?: number;
}

export interface Job {
  readonly kind: JobKind;
  readonly params: Json;
  readonly input: JobInput;
  /** Length of the input, by which a job is short or not. */
  readonly bytes: number;
  /** Whose turn it counts as: of the jobs that wait, those of one turn do not hold those of another. */
  readonly turn: string;
  /** Instead of those of its kind. The heap is limited for the child, by its kind. */
  readonly limits?: Partial<Omit<JobLimits, 'heapMb'>>;
  /** Called with what the handler reports, in order, always before the end of the job. */
  readonly onReport?: (value: Json) => void;
  /** Aborted, the job is not begun, or its child is ended. */
  readonly signal?: AbortSignal;
}

/** A file that is there already, or bytes of which a temporary copy is made when the job has its slot. */
export type JobInput = { readonly path: string } | { readonly copy: () => AsyncIterable<Uint8Array> };

export interface JobResult {
  /** What the handler returned. */
  readonly answer: Json;
  /** Path of the file that the handler wrote, if it wrote one. */
  readonly output: string;
}

const DEFAULT_SIZE = Math.max(2, Math.min(4, availableParallelism()));
const DEFAULT_IDLE_MS = 60_000;
const DEFAULT_SHORT_MS = 5_000;
/** Children that a job is given to while they end before the work begins. */
const STARTS = 3;

/**
 * Runs jobs in child processes, within the limits of their kind. Children start on demand, do one job at a time, and end
 * when they are idle for a while. The end of a child fails only the job that it was doing.
 */
export class Pool {
  readonly #slots: Slots;
  readonly #children: Children;
  readonly #scratch: Scratch;
  readonly #shortMs: number;
  readonly #closing = new AbortController();

  constructor({ folder, size = DEFAULT_SIZE, idleMs = DEFAULT_IDLE_MS, shortMs = DEFAULT_SHORT_MS }: PoolOptions) {
    this.#shortMs = shortMs;
    this.#slots = new Slots(size);
    this.#scratch = new Scratch(folder);
    this.#children = new Children(this.#scratch, size, idleMs);
  }

  /**
   * Runs a job and hands its result to `use`, after which its temporary files are removed.
   *
   * A short job that has run for `shortMs` goes on as a long one, so that its slot is free for other short jobs. If as many
   * long ones as may run are running, its child is ended.
   * @throws JobMemoryError, JobTimeoutError, JobOutputError if a limit of its kind was exceeded; JobSlowError if a short job
   *   was ended because it took long; ChildEndedError if its child ended otherwise; `job_input_missing`, ResourceError, ChildStartError, PoolClosedError; the reason of its
   *   signal; what the handler, the stream of the input, or `use` threw
   */
  async run<T>(job: Job, use: (result: JobResult) => Promise<T>): Promise<T> {
    const closing = this.#closing.signal;
    const signal = job.signal ? AbortSignal.any([closing, job.signal]) : closing;
    const { turn, kind } = job;
    const isShort = job.bytes <= kind.shortBytes;
    const slot = await this.#slots.acquire({ isShort, ahead: kind.ahead, turn }, signal);
    const output = this.#scratch.newPath();
    try {
      const answer = await this.#answer(job, { output, signal, slot: isShort ? slot : null }).finally(slot.free);
      return await use({ answer, output });
    } finally {
      await this.#scratch.remove(output);
    }
  }

  /** Ends all children at once. Jobs that are not done reject with PoolClosedError. */
  async close(): Promise<void> {
    this.#closing.abort(new PoolClosedError('The pool was closed'));
    await this.#children.close();
    await this.#scratch.close();
  }

  async #answer(job: Job, run: Run): Promise<Json> {
    if ('path' in job.input) return this.#start(job, job.input.path, run);
    const copy = this.#scratch.newPath();
    try {
      await this.#scratch.copy(copy, job.input.copy(), run.signal);
      return await this.#start(job, copy, run);
    } finally {
      await this.#scratch.remove(copy);
    }
  }

  async #start(job: Job, input: string, run: Run): Promise<Json> {
    for (let failed = 0; ; ) {
      run.signal.throwIfAborted();
      const child = this.#children.acquire(job.kind, run.slot !== null);
      try {
        return await this.#runOn(child, job, input, run);
      } catch (error) {
        if (error instanceof JobReturnedError) continue;
        failed += 1;
        if (!(error instanceof ChildStartError) || failed === STARTS) throw error;
      } finally {
        this.#children.release(child);
      }
    }
  }

  async #runOn(
    child: Child,
    { kind, params, limits: own, onReport = () => {} }: Job,
    input: string,
    { output, signal, slot }: Run,
  ): Promise<Json> {
    const limits = { ...kind.limits, ...own };
    let reason: Error | null = null;
    const end = (error: Error) => {
      reason = error;
      child.kill();
    };
    let endLimits = () => {};
    let slow: NodeJS.Timeout | undefined;
    const onStart = () => {
      endLimits = enforceLimits({ pid: child.pid as number, output, limits }, end);
      if (slot === null) return;
      slow = setTimeout(() => {
        child.retire();
        if (!slot.lengthen()) end(new JobSlowError(`The work took more than ${this.#shortMs / 1000} s`));
      }, this.#shortMs);
    };
    try {
      const request = { params, input, output, outputBytes: limits.outputBytes };
      return await child.run(request, { onStart, onReport }, signal);
    } catch (error) {
      throw reason ?? error;
    } finally {
      clearTimeout(slow);
      endLimits();
    }
  }
}

/** What one run of a job has. */
interface Run {
  /** Path of the file to write. */
  readonly output: string;
  readonly signal: AbortSignal;
  /** Null: that of a long job. */
  readonly slot: Slot | null;
}
