import { MissingBlobError, type ReadingProgress } from '#features/documents';
import type { Job, JobInput, JobResult, Pool } from '#platform/child-jobs';
import { hasCode, type Json, translateFileError } from '#platform/kernel';
import {
  ExtractionError,
  type ExtractionResources,
  type ExtractionTask,
  extractionKind,
  type LongWork,
  type MachineResources,
  missingIn,
  type PictureReport,
  type SpokenPart,
  timeoutMessage,
  tooLargeMessage,
} from '#processing/extraction';
import type { PartKeeper } from './part-keeper.ts';

/** Pictures that one job reads, so that other long jobs get their turn between them. */
const PICTURES = 4;
/** Milliseconds that a job takes at the most for its beginning, and for each picture: wide, for machines under load. */
const BEGIN_MS = 60_000;
const PICTURE_MS = 60_000;
const PICTURES_BYTES = 16 * 1024 * 1024;
/** Of the input of a job that is long, however small its file is. */
export const LONG = Number.POSITIVE_INFINITY;

export interface ExtractionJobsOptions {
  readonly pool: Pick<Pool, 'run'>;
  /** For files that take minutes. */
  readonly slowPool: Pick<Pool, 'run'>;
  /** What this machine has at the moment. */
  readonly resources: () => Promise<ExtractionResources>;
  /** Tries to get what a job lacks; returns whether it is there now. Default: only the resources count. */
  readonly obtain?: MachineResources['obtain'];
}

export interface ExtractionJob {
  readonly task: WithoutResources<ExtractionTask>;
  readonly input: JobInput;
  readonly bytes: number;
  /** Absent: those of the pool. */
  readonly limits?: Job['limits'];
  /** What of it takes long, as far as the beginning of the file shows it. Absent: nothing. */
  readonly long?: LongWork | null;
  /** Names the bytes of the input, so that what was read of them can be kept. Absent: nothing is kept. */
  readonly source?: string;
  /** Of the document, if the beginning of its file shows it. */
  readonly type?: string;
}

/** The resources are added when the job runs. */
type WithoutResources<T> = T extends unknown ? Omit<T, 'resources'> : never;

/** Pictures of text in a file. */
export interface PicturesOfFile {
  /** Of the file. */
  readonly kind: string;
  /** As the extractor of the kind names them; a picture that is a file of its own is the only one, `1`. */
  readonly names: readonly string[];
  readonly input: JobInput;
  /** As of a job. */
  readonly source?: string | undefined;
}

/** How jobs are run. */
export interface JobRun {
  /** Ends the job. */
  readonly signal?: AbortSignal | undefined;
  /** Whose turn the job counts as (`WorkMessage.caller`). */
  readonly caller: string;
}

/** How long work is done. */
export interface LongRun extends JobRun {
  /** Keeps what is finished. Absent: nothing is kept. */
  readonly keeper?: PartKeeper | undefined;
}

/** Runs jobs of extraction in child processes, with the resources of this machine. */
export class ExtractionJobs {
  readonly #pool: ExtractionJobsOptions['pool'];
  readonly #slowPool: ExtractionJobsOptions['slowPool'];
  readonly #resources: ExtractionJobsOptions['resources'];
  readonly #obtain: MachineResources['obtain'];

  constructor({ pool, slowPool, resources, obtain = async () => false }: ExtractionJobsOptions) {
    this.#pool = pool;
    this.#slowPool = slowPool;
    this.#resources = resources;
    this.#obtain = obtain;
  }

  /**
   * Runs a job. One that lacks something is repeated if that can be had, and a short one that takes long as a long one.
   * @param options.isBrief one that takes long is not repeated. Default: false.
   * @param options.onReport called with what the child reports; only of a job that is long
   * @throws ExtractionError; MissingResourceError; MissingBlobError; errors of the pool
   */
  async run<T>(job: ExtractionJob, options: RunOptions, use: (result: JobResult) => Promise<T>): Promise<T> {
    try {
      return await this.#runOnce(job, options, use);
    } catch (error) {
      if (hasCode(error, 'job_slow') && !options.isBrief) return this.run({ ...job, bytes: LONG }, options, use);
      const missing = missingIn(error);
      if (missing === null || !(await this.#obtain(missing))) throw error;
      return this.#runOnce(job, options, use);
    }
  }

  async #runOnce<T>(
    { task, input, bytes, limits, long }: ExtractionJob,
    { signal, onReport, caller }: RunOptions,
    use: (result: JobResult) => Promise<T>,
  ): Promise<T> {
    const params = { ...task, ...(NEEDS_RESOURCES.has(task.task) && { resources: await this.#resources() }) };
    const job: Job = {
      ...{ kind: extractionKind, params: params as unknown as Json, input, bytes, turn: caller },
      ...(limits && { limits }),
      ...(signal && { signal }),
      ...(onReport && { onReport }),
    };
    try {
      const pool = long === 'transcribe' ? this.#slowPool : this.#pool;
      return await pool.run(job, use);
    } catch (error) {
      throw translate(error);
    }
  }

  /**
   * Runs a job that writes down a recording. Each part is kept when it is written down, and goes on behind those that were
   * kept.
   * @throws as `run`
   */
  async transcribe<T>(
    job: ExtractionJob,
    { keeper, ...run }: LongRun,
    use: (result: JobResult) => Promise<T>,
  ): Promise<T> {
    const { source, task } = job;
    const spoken: SpokenPart[] = [];
    if (keeper !== undefined && source !== undefined) {
      const parts = await keeper.open({ bytes: source, by: 'whisper-base' }, NOTHING_HEARD);
      spoken.push(...(parts as unknown as readonly SpokenPart[]));
    }
    const onReport = (report: Json) => {
      const part = report as unknown as SpokenPart;
      spoken.push(part);
      keeper?.add(report, progressOf(part));
    };
    for (;;) {
      const before = spoken.length;
      try {
        const rest = { ...job, bytes: LONG, task: { ...task, spoken } as typeof task };
        return await this.run(rest, { ...run, onReport }, use);
      } catch (error) {
        if (spoken.length === before || !isEndOfChild(error)) throw error;
      }
    }
  }

  /**
   * Reads pictures as text, by OCR. Each is kept when it is read, and goes on behind those that were kept.
   * @returns the text by the name of the picture; empty: it shows none
   * @throws as `run`
   */
  async readPictures(
    { kind, names, input, source }: PicturesOfFile,
    { keeper, ...run }: LongRun,
  ): Promise<Readonly<Record<string, string>>> {
    const texts = new Map<string, string>();
    const isMissing = (name: string) => !texts.has(name);
    const progress = () => ({ done: texts.size, total: names.length, unit: 'pages' }) as const;
    // Of a single picture there is nothing to go on behind.
    const kept = source === undefined || names.length === 1 ? undefined : keeper;
    if (kept !== undefined && source !== undefined) {
      const { languages } = (await this.#resources()).ocr;
      const parts = await kept.open({ bytes: source, by: `ocr ${languages.join(' ')}` }, progress());
      for (const [name, text] of parts as unknown as readonly PictureReport[]) texts.set(name, text);
    }
    const onReport = (report: Json) => {
      const [name, text] = report as unknown as PictureReport;
      texts.set(name, text);
      kept?.add(report, progress());
    };
    for (let some = names.filter(isMissing).slice(0, PICTURES); some.length > 0; ) {
      const job: ExtractionJob = {
        task: { task: 'read-pictures', kind, names: some },
        input,
        bytes: LONG,
        limits: { ms: BEGIN_MS + some.length * PICTURE_MS, outputBytes: PICTURES_BYTES },
      };
      const before = texts.size;
      try {
        await this.run(job, { ...run, onReport }, async () => undefined);
      } catch (error) {
        if (texts.size === before || !isEndOfChild(error)) throw error;
      }
      some = names.filter(isMissing).slice(0, PICTURES);
    }
    return Object.fromEntries(texts);
  }
}

const NOTHING_HEARD: ReadingProgress = { done: 0, total: null, unit: 'seconds' };

function progressOf({ heardSeconds, totalSeconds }: SpokenPart): ReadingProgress {
  const done = Math.floor(heardSeconds);
  // A recording may say what is not true.
  const total = totalSeconds === null || totalSeconds < done ? null : Math.ceil(totalSeconds);
  return { done, total, unit: 'seconds' };
}

interface RunOptions extends JobRun {
  readonly isBrief?: boolean;
  readonly onReport?: (report: Json) => void;
}

/** Whether a child has ended, or has taken too long. If it has finished a part before, another one goes on behind that. */
const isEndOfChild = (error: unknown): boolean =>
  hasCode(error, 'child_ended') || hasCode((error as Error).cause, 'job_time_exceeded');

const NEEDS_RESOURCES: ReadonlySet<ExtractionTask['task']> = new Set(['extract-file', 'extract-page', 'read-pictures']);

function translate(error: unknown): unknown {
  if (hasCode(error, 'job_memory_exceeded', 'job_output_exceeded')) {
    return new ExtractionError(tooLargeMessage(error.message), 'extraction_too_large', error);
  }
  if (hasCode(error, 'job_time_exceeded')) {
    return new ExtractionError(timeoutMessage(error.message), 'extraction_timeout', error);
  }
  if (hasCode(error, 'job_input_missing')) return new MissingBlobError('the blob that it is read from is gone');
  return translateFileError(error);
}
