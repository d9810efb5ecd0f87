import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DocumentTexts, type Live, unitsAlong } from '#features/documents';
import { hasCode } from '#platform/kernel';
import type { DeferredUnits } from '#read-side/projections';
import type { SqliteViewsWriter, Unit } from '#read-side/views';
import { UnitJobs, type UnitJobsOptions } from './unit-jobs.ts';

/** The units of a very long text, with what the index holds of them, take many times the memory of the text. */
const WHOLE_CHARACTERS = 500_000;

/** Units of one transaction, about 20 ms, where others wait for it. */
const SLICE = 1_000;

export interface UnitWritingOptions extends Omit<UnitJobsOptions, 'longerThan'> {
  readonly writer: SqliteViewsWriter;
  /** Path of the views that it writes. */
  readonly views: string;
  readonly texts: DocumentTexts;
  /** Ends what is being written. */
  readonly signal: AbortSignal;
}

/**
 * Has the units of very long texts formed by a child process, so that neither they nor the text are in this one. The child
 * writes them into the views, for which other changes wait; or this process writes them, in slices.
 */
export class UnitWriting {
  readonly #options: UnitWritingOptions;
  readonly #jobs: UnitJobs;
  /** While a child writes into the views, nothing else does. */
  #child: Promise<unknown> = Promise.resolve();

  constructor(options: UnitWritingOptions) {
    this.#options = options;
    this.#jobs = new UnitJobs({ ...options, longerThan: WHOLE_CHARACTERS });
  }

  readonly defers = (document: Live): boolean => this.#jobs.defers(document);

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
    const writing = this.#jobs.run(units, { views }, signal, async () => {}).finally(() => writer.refresh());
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
      await this.#jobs.run(units, { entriesOf: writer.numberOf(row) }, signal, async ({ output }) => {
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
    return this.#jobs.close();
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
}
