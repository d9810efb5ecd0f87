import { extractedLength, type Live, lossIn } from '#documents';
import { hasCode, type Json } from '#kernel';
import { type JobKind, Pool } from '#pool';
import type { DeferredUnits } from '#projections';
import { RowRejectedError, type SqliteViewsWriter } from '#views';

const MIB = 1024 * 1024;

/** The units of a very long text, with what the index holds of them, take many times the memory of the text. */
const WHOLE_CHARACTERS = 500_000;

const ATTEMPTS = 3;

/** Writing of the units of one document into the views. */
const unitWritingKind: JobKind = {
  name: 'unit-writing',
  entry: new URL('./write-units.child.ts', import.meta.url),
  limits: { rssBytes: 2_560 * MIB, heapMb: 2_048, ms: 300_000, outputBytes: 0 },
  shortBytes: 0,
  ahead: 0,
};

export interface UnitWritingTask extends DeferredUnits {
  /** Path of the views. */
  readonly views: string;
  /** Folder of the blobs. */
  readonly blobs: string;
}

export interface UnitWritingOptions {
  readonly writer: SqliteViewsWriter;
  /** Path of the views that it writes. */
  readonly views: string;
  /** Folder of the blobs. */
  readonly blobs: string;
  /** Folder for temporary files. */
  readonly scratch: string;
  /** Ends what is being written. */
  readonly signal: AbortSignal;
}

/** Has the units of very long texts written by a child process, so that neither they nor the text are in this one. */
export class UnitWriting {
  readonly #options: UnitWritingOptions;
  readonly #pool: Pool;
  /** Documents whose blobs a child did not find: what they lack is found out here. */
  readonly #kept = new Set<string>();

  constructor(options: UnitWritingOptions) {
    this.#options = options;
    this.#pool = new Pool({ folder: options.scratch });
  }

  readonly defers = (document: Live): boolean =>
    extractedLength(document) > WHOLE_CHARACTERS && !this.#kept.has(document.id);

  /** @throws RowRejectedError if the child exceeds a limit, or ends several times */
  readonly write = async ({ row, document }: DeferredUnits): Promise<void> => {
    const { writer, views, blobs, signal } = this.#options;
    // Only this process gives numbers to documents.
    await writer.writeAhead([{ kind: 'upsert', row }]);
    const params = { views, blobs, row, document } satisfies UnitWritingTask as unknown as Json;
    const job = { kind: unitWritingKind, params, input: { path: views }, bytes: extractedLength(document), signal };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#pool.run(job, async () => {});
      } catch (error) {
        if (lossIn(error) !== null) this.#kept.add(document.id);
        const isLast = attempt === ATTEMPTS && hasCode(error, 'job_time_exceeded', 'child_ended');
        if (isLast || hasCode(error, 'job_memory_exceeded')) throw rejected(row, error as Error);
        if (!hasCode(error, 'job_time_exceeded', 'child_ended')) throw error;
      } finally {
        writer.refresh();
      }
    }
  };

  close(): Promise<void> {
    return this.#pool.close();
  }
}

const rejected = ({ organization, id }: DeferredUnits['row'], { message }: Error): RowRejectedError =>
  new RowRejectedError([{ organization, id, reason: message }]);
