import { availableParallelism } from 'node:os';
import { type Json, Scratch } from '#kernel';
import type { Child } from './child.ts';
import { Children } from './children.ts';
import { ChildStartError, PoolClosedError } from './errors.ts';
import type { JobKind, JobLimits } from './kind.ts';
import { enforceLimits } from './limits.ts';
import { Slots } from './slots.ts';

export interface PoolOptions {
  /** For temporary files; made when the first one is written. */
  readonly folder: string;
  /** Jobs that run at once; all but one of them may be long. At least 2. Default: one per core, 2 to 4. */
  readonly size?: number;
  /** How long a child without work is kept. Milliseconds. Default: 60000. */
  readonly idleMs?: number;
}

export interface Job {
  readonly kind: JobKind;
  readonly params: Json;
  readonly input: JobInput;
  /** Length of the input, by which a job is short or not. */
  readonly bytes: number;
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
  readonly #closing = new AbortController();

  constructor({ folder, size = DEFAULT_SIZE, idleMs = DEFAULT_IDLE_MS }: PoolOptions) {
    this.#slots = new Slots(size);
    this.#scratch = new Scratch(folder);
    this.#children = new Children(this.#scratch, size, idleMs);
  }

  /**
   * Runs a job and hands its result to `use`, after which its temporary files are removed.
   * @throws JobMemoryError, JobTimeoutError, JobOutputError if a limit of its kind was exceeded; ChildEndedError if its
   *   child ended otherwise; `job_input_missing`, ResourceError, ChildStartError, PoolClosedError; the reason of its
   *   signal; what the handler, the stream of the input, or `use` threw
   */
  async run<T>(job: Job, use: (result: JobResult) => Promise<T>): Promise<T> {
    const closing = this.#closing.signal;
    const signal = job.signal ? AbortSignal.any([closing, job.signal]) : closing;
    const { shortBytes, ahead } = job.kind;
    const free = await this.#slots.acquire(job.bytes <= shortBytes, ahead, signal);
    const output = this.#scratch.newPath();
    try {
      const answer = await this.#answer(job, output, signal).finally(free);
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

  async #answer(job: Job, output: string, signal: AbortSignal): Promise<Json> {
    if ('path' in job.input) return this.#start(job, job.input.path, output, signal);
    const copy = this.#scratch.newPath();
    try {
      await this.#scratch.copy(copy, job.input.copy(), signal);
      return await this.#start(job, copy, output, signal);
    } finally {
      await this.#scratch.remove(copy);
    }
  }

  async #start(
    { kind, params, limits: own, onReport }: Job,
    input: string,
    output: string,
    signal: AbortSignal,
  ): Promise<Json> {
    const limits = { ...kind.limits, ...own };
    const request = { params, input, output, outputBytes: limits.outputBytes };
    for (let start = 1; ; start += 1) {
      signal.throwIfAborted();
      const child = this.#children.acquire(kind);
      try {
        return await this.#runOn(child, request, { limits, onReport }, signal);
      } catch (error) {
        if (!(error instanceof ChildStartError) || start === STARTS) throw error;
      } finally {
        this.#children.release(child);
      }
    }
  }

  async #runOn(
    child: Child,
    request: Parameters<Child['run']>[0],
    { limits, onReport = () => {} }: Pick<Job, 'onReport'> & { readonly limits: JobLimits },
    signal: AbortSignal,
  ): Promise<Json> {
    let exceeded: Error | null = null;
    let endLimits = () => {};
    const onStart = () => {
      const watched = { pid: child.pid as number, output: request.output, limits };
      endLimits = enforceLimits(watched, (error) => {
        exceeded = error;
        child.kill();
      });
    };
    try {
      return await child.run(request, { onStart, onReport }, signal);
    } catch (error) {
      throw exceeded ?? error;
    } finally {
      endLimits();
    }
  }
}
