import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DocumentTexts, extractedLength, type Live, lossIn, unitsAlong } from '#documents';
import { hasCode, type Json } from '#kernel';
import { type JobKind, type JobResult, Pool } from '#pool';
import type { DeferredUnits } from '#projections';
import { RowRejectedError, type SqliteViewsWriter, type Unit } from '#views';

const MIB = 1024 * 1024;

/** The units of a very long text, with what the index holds of them, take many times the memory of the text. */
const WHOLE_CHARACTERS = 500_000;

const ATTEMPTS = 3;

/** Units of one transaction, about 20 ms, where others wait for it. */
const SLICE = 1_000;

/** Writing of the units of one document into the views, or of its index entries into a file. */
const unitWritingKind: JobKind = {
  name: 'unit-writing',
  entry: new URL('./write-units.child.ts', import.meta.url),
  limits: { rssBytes: 2_560 * MIB, heapMb: 2_048, ms: 300_000, outputBytes: 1_024 * MIB },
  shortBytes: 0,
  ahead: 0,
};

export interface UnitWritingTask extends DeferredUnits {
  /** Path of the views; or the number of the document in them: only its index entries are written, into the output file. */
  readonly target: { readonly views: string } | { readonly entriesOf: number };
  /** Folder of the blobs. */
  readonly blobs: string;
}

export interface UnitWritingOptions {
  readonly writer: SqliteViewsWriter;
  /** Path of the views that it writes. */
  readonly views: string;
  /** Folder of the blobs. */
  readonly blobs: string;
  readonly texts: DocumentTexts;
  /** Folder for temporary files. */
  readonly scratch: string;
  /** Ends what is being written. */
  readonly signal: AbortSignal;
}

/**
 * Has the units of very long texts formed by a child process, so that neither they nor the text are in this one. The child
 * writes them into the views, for which other changes wait; or this process writes them, in slices.
 */
export class UnitWriting {
  readonly #options: UnitWritingOptions;
  readonly #pool: Pool;
  /** Documents whose blobs a child did not find: what they lack is found out here. */
  readonly #kept = new Set<string>();
  /** While a child writes into the views, nothing else does. */
  #child: Promise<unknown> = Promise.resolve();

  constructor(options: UnitWritingOptions) {
    this.#options = options;
    this.#pool = new Pool({ folder: options.scratch });
  }

  readonly defers = (document: Live): boolean =>
    extractedLength(document) > WHOLE_CHARACTERS && !this.#kept.has(document.id);

  /**
   * Whether nobody misses the units for some time: the document is not done, and no earlier ones are found, which would have
   * to be replaced in one transaction.
   */
  readonly takesLate = ({ row }: DeferredUnits): boolean =>
    row.stage !== 'done' && row.stage !== 'failed' && !this.#options.writer.isFound(row);

  /** @throws RowRejectedError if the child exceeds a limit, or ends several times */
  readonly write = async (units: DeferredUnits): Promise<void> => {
    const { writer, views, signal } = this.#options;
    // Only this process gives numbers to documents.
    await writer.writeAhead([{ kind: 'upsert', row: units.row }]);
    const writing = this.#run(units, { views }, signal, async () => {}).finally(() => writer.refresh());
    this.#child = writing.catch(() => undefined);
    await writing;
  };

  /** Writes units in slices, between which other changes can be written. @throws as `write` */
  readonly writeLate = async (units: DeferredUnits, ended: AbortSignal): Promise<void> => {
    const { writer } = this.#options;
    const { row } = units;
    const failed = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, ended, failed.signal]);
    const written = this.#writeUnits(units, signal);
    // The job awaits it at its end only.
    written.catch((error) => failed.abort(error));
    try {
      await this.#run(units, { entriesOf: writer.numberOf(row) }, signal, async ({ output }) => {
        await written;
        await this.#turn(signal);
        writer.addEntries(row, output);
      });
    } catch (error) {
      failed.abort(error);
      await written.catch(() => undefined);
      if (hasCode(error, 'rows_rejected')) writer.removeUnfound(row);
      throw error;
    }
  };

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #writeUnits({ row, document }: DeferredUnits, signal: AbortSignal): Promise<void> {
    const { writer, texts } = this.#options;
    await this.#turn(signal);
    // What a process that was killed has left.
    writer.removeUnfound(row);
    for (const kind of ['chunk', 'memory'] as const) {
      let slice: Unit[] = [];
      for await (const unit of (await unitsAlong(document, kind, texts)) ?? []) {
        slice.push(unit);
        if (slice.length < SLICE) continue;
        await this.#turn(signal);
        writer.addUnits(row, slice);
        slice = [];
      }
      await this.#turn(signal);
      writer.addUnits(row, slice);
    }
  }

  /** Lets others go first. @throws the reason of the signal */
  async #turn(signal: AbortSignal): Promise<void> {
    await nextTurn();
    await this.#child;
    signal.throwIfAborted();
  }

  async #run(
    { row, document }: DeferredUnits,
    target: UnitWritingTask['target'],
    signal: AbortSignal,
    use: (result: JobResult) => Promise<void>,
  ): Promise<void> {
    const { blobs, views: path } = this.#options;
    const params = { target, blobs, row, document } satisfies UnitWritingTask as unknown as Json;
    const job = { kind: unitWritingKind, params, input: { path }, bytes: extractedLength(document), signal };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#pool.run(job, use);
      } catch (error) {
        if (lossIn(error) !== null) this.#kept.add(document.id);
        const isLast = attempt === ATTEMPTS && hasCode(error, 'job_time_exceeded', 'child_ended');
        if (isLast || hasCode(error, 'job_memory_exceeded')) throw rejected(row, error as Error);
        if (!hasCode(error, 'job_time_exceeded', 'child_ended')) throw error;
      }
    }
  }
}

const rejected = ({ organization, id }: DeferredUnits['row'], { message }: Error): RowRejectedError =>
  new RowRejectedError([{ organization, id, reason: message }]);
