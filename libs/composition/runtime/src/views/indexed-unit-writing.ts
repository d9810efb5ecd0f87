import { type Live, lossIn } from '#features/documents';
import type { JobResult } from '#platform/child-jobs';
import { hasCode } from '#platform/kernel';
import type { DeferredUnits } from '#read-side/projections';
import type { OpenSearchWriter, UnitFile } from '#read-side/views';
import { UnitJobs, type UnitJobsOptions } from './unit-jobs.ts';

/**
 * OpenSearch takes the rows of a text this long in some seconds as a part of a batch, and several such texts at once. One after
 * the other, from files, they take many times as long.
 */
const WHOLE_CHARACTERS = 1_000_000;

export interface IndexedUnitWritingOptions extends Omit<UnitJobsOptions, 'longerThan'> {
  readonly writer: OpenSearchWriter;
  /** Ends what is being written. */
  readonly signal: AbortSignal;
}

/**
 * Has the rows of the units of long texts formed by a child process, and sends them to OpenSearch piece by piece from its
 * file.
 */
export class IndexedUnitWriting {
  readonly #options: IndexedUnitWritingOptions;
  readonly #jobs: UnitJobs;
  /** One document after the other: each child takes much memory. */
  #latest: Promise<unknown> = Promise.resolve();

  constructor(options: IndexedUnitWritingOptions) {
    this.#options = options;
    this.#jobs = new UnitJobs({ ...options, longerThan: WHOLE_CHARACTERS });
  }

  readonly defers = (document: Live): boolean => this.#jobs.defers(document);

  /**
   * Whether nobody misses the units for some time: the document is not done, and no earlier ones are found, which stay until
   * all new ones are there.
   */
  readonly takesLate = async ({ row }: DeferredUnits): Promise<boolean> =>
    row.stage !== 'done' && row.stage !== 'failed' && (await this.#options.writer.mayBeLate(row));

  /** @throws RowRejectedError if the child exceeds a limit, or ends several times, or a row is too large */
  readonly write = (units: DeferredUnits): Promise<void> => {
    const { writer, signal } = this.#options;
    return this.#run(units, signal, (file) => writer.writeFileAhead(units.row, file, signal));
  };

  /** Writes units beside the batches. @throws as `write` */
  readonly writeLate = async (units: DeferredUnits, ended: AbortSignal): Promise<void> => {
    const { writer } = this.#options;
    const signal = AbortSignal.any([this.#options.signal, ended]);
    try {
      await this.#run(units, signal, (file) => writer.writeFileLate(units.row, file, signal));
    } catch (error) {
      if (hasCode(error, 'rows_rejected') || lossIn(error) !== null) await writer.removeUnfound(units.row);
      throw error;
    }
  };

  close(): Promise<void> {
    return this.#jobs.close();
  }

  #run(units: DeferredUnits, signal: AbortSignal, send: (file: UnitFile) => Promise<void>): Promise<void> {
    const turn = this.#latest.then(() =>
      this.#jobs.run(units, { rows: true }, signal, ({ answer, output }) => send(fileIn(answer, output))),
    );
    this.#latest = turn.catch(() => undefined);
    return turn;
  }
}

function fileIn(answer: JobResult['answer'], path: string): UnitFile {
  const { chunks, memories } = answer as { readonly chunks: number; readonly memories: number };
  return { path, chunks, memories };
}
