import { MissingBlobError } from '#documents';
import {
  ExtractionError,
  type ExtractionResources,
  type ExtractionTask,
  extractionKind,
  type LongWork,
  type MachineResources,
  missingIn,
  type PictureAnswer,
  timeoutMessage,
  tooLargeMessage,
} from '#extraction';
import { hasCode, type Json, translateFileError } from '#kernel';
import type { Job, JobInput, JobResult, Pool } from '#pool';

/** Pictures that one job reads, so that other long jobs get their turn between them. */
const PICTURES = 4;
/** Milliseconds that a job takes at the most for its beginning, and for each picture: wide, for machines under load. */
const BEGIN_MS = 60_000;
const PICTURE_MS = 60_000;
const PICTURES_BYTES = 16 * 1024 * 1024;

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
   * Runs a job. One that lacks something is repeated if that can be had.
   * @param signal ends the job
   * @throws ExtractionError; MissingResourceError; MissingBlobError; errors of the pool
   */
  async run<T>(
    job: ExtractionJob,
    signal: AbortSignal | undefined,
    use: (result: JobResult) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#runOnce(job, signal, use);
    } catch (error) {
      const missing = missingIn(error);
      if (missing === null || !(await this.#obtain(missing))) throw error;
      return this.#runOnce(job, signal, use);
    }
  }

  async #runOnce<T>(
    { task, input, bytes, limits, long }: ExtractionJob,
    signal: AbortSignal | undefined,
    use: (result: JobResult) => Promise<T>,
  ): Promise<T> {
    const params = { ...task, ...(NEEDS_RESOURCES.has(task.task) && { resources: await this.#resources() }) };
    const job = { kind: extractionKind, params: params as unknown as Json, input, bytes, ...(limits && { limits }) };
    try {
      const pool = long === 'transcribe' ? this.#slowPool : this.#pool;
      return await pool.run(signal === undefined ? job : { ...job, signal }, use);
    } catch (error) {
      throw translate(error);
    }
  }

  /**
   * Reads pictures as text, by OCR.
   * @returns the text by the name of the picture; empty: it shows none
   * @throws as `run`
   */
  async readPictures(file: PicturesOfFile, signal?: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const { kind, names, input } = file;
    const texts: Record<string, string> = {};
    for (let from = 0; from < names.length; from += PICTURES) {
      const some = names.slice(from, from + PICTURES);
      const job: ExtractionJob = {
        task: { task: 'read-pictures', kind, names: some },
        input,
        // However small the file is: the work is long.
        bytes: Number.POSITIVE_INFINITY,
        limits: { ms: BEGIN_MS + some.length * PICTURE_MS, outputBytes: PICTURES_BYTES },
      };
      const { texts: read } = await this.run(job, signal, async ({ answer }) => answer as PictureAnswer);
      for (const [i, name] of some.entries()) texts[name] = read[i] ?? '';
    }
    return texts;
  }
}

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
