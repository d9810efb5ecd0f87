import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { documentStream, extractedLength, type Live, lossIn, unitBlobs } from '#features/documents';
import { type JobKind, type JobResult, Pool } from '#platform/child-jobs';
import { hasCode, type Json, Scratch, translateFileError } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import type { DeferredUnits } from '#read-side/projections';
import { RowRejectedError } from '#read-side/views';

const MIB = 1024 * 1024;
const ATTEMPTS = 3;

/** Forming of the units of one document, for the views or for a file. */
const unitWritingKind: JobKind = {
  name: 'unit-writing',
  entry: new URL('./write-units.child.ts', import.meta.url),
  limits: { rssBytes: 2_560 * MIB, heapMb: 2_048, ms: 300_000, outputBytes: 4_096 * MIB },
  shortBytes: 0,
  ahead: 0,
};

/**
 * Where the child writes: into the views at a path; of a document with this number in them, only what a search scans, into the
 * output file; or rows for OpenSearch, into the output file.
 */
export type UnitTarget = { readonly views: string } | { readonly entriesOf: number } | { readonly rows: true };

export interface UnitWritingTask extends DeferredUnits {
  readonly target: UnitTarget;
  /** Folder of the blobs. */
  readonly blobs: string;
}

export interface UnitJobsOptions {
  readonly blobs: BlobStore;
  /** Folder of the blobs. Null: they are not files of this machine. */
  readonly blobFolder: string | null;
  /** Folder for temporary files. */
  readonly scratch: string;
  /** Characters of a text from which on its units are formed by a child. */
  readonly longerThan: number;
}

/** Has the units of long texts formed by a child process, so that neither they nor the text are in this one. */
export class UnitJobs {
  readonly #options: UnitJobsOptions;
  readonly #pool: Pool;
  readonly #scratch: Scratch;
  /** Streams of documents whose blobs a child did not find: what they lack is found out here. */
  readonly #kept = new Set<string>();

  constructor(options: UnitJobsOptions) {
    this.#options = options;
    this.#pool = new Pool({ folder: options.scratch });
    this.#scratch = new Scratch(options.scratch);
  }

  defers(document: Live): boolean {
    return extractedLength(document) > this.#options.longerThan && !this.#kept.has(streamOf(document));
  }

  /** @throws RowRejectedError if the child exceeds a limit, or ends several times; the reason of the signal; what `use` throws */
  async run<T>(
    { row, document }: DeferredUnits,
    target: UnitTarget,
    signal: AbortSignal,
    use: (result: JobResult) => Promise<T>,
  ): Promise<T> {
    return this.#withBlobs(document, signal, async (blobs) => {
      const params = { target, blobs, row, document } satisfies UnitWritingTask as unknown as Json;
      const [bytes, turn] = [extractedLength(document), document.organization];
      const job = { kind: unitWritingKind, params, input: { path: blobs }, bytes, turn, signal };
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#pool.run(job, use);
        } catch (error) {
          if (lossIn(error) !== null) this.#kept.add(streamOf(document));
          const isLast = attempt === ATTEMPTS && hasCode(error, 'job_time_exceeded', 'child_ended');
          if (isLast || hasCode(error, 'job_memory_exceeded')) throw rejected(row, error as Error);
          if (!hasCode(error, 'job_time_exceeded', 'child_ended')) throw error;
        }
      }
    });
  }

  async close(): Promise<void> {
    await this.#pool.close();
    await this.#scratch.close();
  }

  /** Gives a child the blobs as files. One that is lost is no file; the child tells of it. */
  async #withBlobs<T>(document: Live, signal: AbortSignal, use: (folder: string) => Promise<T>): Promise<T> {
    const { blobs, blobFolder } = this.#options;
    if (blobFolder !== null) return use(blobFolder);
    const folder = this.#scratch.newPath();
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const key of unitBlobs(document)) {
        const bytes = await blobs.stream(key);
        if (bytes === null) continue;
        const path = join(folder, key);
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await this.#scratch.copy(path, bytes, signal);
      }
      return await use(folder);
    } catch (error) {
      throw translateFileError(error);
    } finally {
      await this.#scratch.removeFolder(folder);
    }
  }
}

const streamOf = ({ organization, id }: Live): string => documentStream(organization, id);

const rejected = ({ organization, id }: DeferredUnits['row'], { message }: Error): RowRejectedError =>
  new RowRejectedError([{ organization, id, reason: message }]);
