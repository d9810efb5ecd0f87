import { setTimeout as pause } from 'node:timers/promises';
import { lossIn } from '#features/documents';
import { hasCode } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import type { DocumentRow, ViewsChange } from '#read-side/views';
import type { DeferredUnits } from '../read-model.ts';
import { BatchLosses } from './batch-losses.ts';
import { FIRST_PAUSE_MS, type LateWriting, LONGEST_PAUSE_MS, type ProjectionOptions, REOPEN } from './options.ts';
import { withoutRejected } from './rejected.ts';

/** Documents whose units are late at the same time. Beyond that, batches wait. */
const MOST = 256;

/** The part of the log that a batch comes from. */
interface BatchRange {
  readonly before: Position;
  readonly position: Position;
}

interface Job {
  readonly units: DeferredUnits;
  /** Where the batch of its document began. */
  readonly before: Position;
  readonly ending: AbortController;
  readonly ended: PromiseWithResolvers<void>;
}

type DocumentName = Pick<DocumentRow, 'organization' | 'id'>;

const keyOf = ({ organization, id }: DocumentName): string => `${organization} ${id}`;

/**
 * The units that are written beside the batches, one document after the other. The checkpoint stays before the first
 * document whose units are missing, so that a restart projects it again.
 */
export class LateUnits {
  readonly #options: ProjectionOptions;
  readonly #writing: LateWriting;
  /** In the order of the log. */
  readonly #jobs = new Map<string, Job>();
  /** Late documents that the batch in hand overtakes. */
  readonly #overtaken = new Map<string, DocumentRow>();
  #applied: Position | null = null;
  #running: Job | null = null;
  #latest: Promise<unknown> = Promise.resolve();
  #arrival = Promise.withResolvers<void>();

  constructor(options: ProjectionOptions, writing: LateWriting) {
    this.#options = options;
    this.#writing = writing;
    options.signal.addEventListener('abort', () => this.#arrival.resolve(), { once: true });
  }

  takes(units: DeferredUnits): boolean | Promise<boolean> {
    return this.#writing.takes(units);
  }

  /** Ends the writing of units that are deleted, or whose place others take. To be called before the batch is written. */
  async overtake(changes: readonly ViewsChange[], deferred: readonly DeferredUnits[]): Promise<void> {
    const documents: DocumentName[] = deferred.map(({ row }) => row);
    for (const change of changes) {
      if (change.kind === 'delete') documents.push(change);
      else if (change.kind === 'upsert' && change.units !== undefined) documents.push(change.row);
    }
    for (const document of documents) {
      const key = keyOf(document);
      const job = this.#jobs.get(key);
      if (job === undefined) continue;
      this.#overtaken.set(key, job.units.row);
      this.#jobs.delete(key);
      job.ending.abort();
      if (job === this.#running) await job.ended.promise;
    }
    for (let [first] = this.#jobs.values(); first && this.#jobs.size >= MOST; [first] = this.#jobs.values()) {
      await first.ended.promise;
      this.#options.signal.throwIfAborted();
    }
  }

  /**
   * Writes a batch, with the place in the log before which no units are late as its checkpoint.
   * @param late its units that are written from now on
   */
  apply(
    changes: readonly ViewsChange[],
    { before, position }: BatchRange,
    late: readonly DeferredUnits[],
  ): Promise<void> {
    return this.#inTurn(async () => {
      const { writer } = this.#options;
      const [first] = this.#jobs.values();
      await writer.apply(changes, first?.before ?? (late.length > 0 ? before : position));
      if (first !== undefined || late.length > 0) {
        const rows = [...this.#jobs.values()].map(({ units: { row } }) => row);
        await writer.report(position, [...rows, ...late.map(({ row }) => row)]);
      }
      this.#applied = position;
      for (const units of late) this.#add(units, before);
      for (const row of this.#overtaken.values()) this.#writing.onChange(row, false);
      this.#overtaken.clear();
      this.#arrival.resolve();
    });
  }

  #add(units: DeferredUnits, before: Position): void {
    const key = keyOf(units.row);
    this.#overtaken.delete(key);
    const [ending, ended] = [new AbortController(), Promise.withResolvers<void>()];
    this.#jobs.set(key, { units, before, ending, ended });
    this.#writing.onChange(units.row, true);
  }

  /** One checkpoint after the other: where it is depends on what is late when it is written. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#latest.then(work);
    this.#latest = turn.catch(() => undefined);
    return turn;
  }

  /** Writes until the signal aborts. @throws FencedError, ViewsDamagedError, ViewsMissingError */
  async run(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      const [job] = this.#jobs.values();
      if (job === undefined) {
        this.#arrival = Promise.withResolvers();
        await this.#arrival.promise;
        continue;
      }
      this.#running = job;
      try {
        if (await this.#write(job)) await this.#finish(job);
      } finally {
        this.#running = null;
        job.ended.resolve();
      }
    }
  }

  /** @returns false: it was overtaken, or the projection ends */
  async #write({ units, ending }: Job): Promise<boolean> {
    const { onFault } = this.#options;
    const signal = AbortSignal.any([this.#options.signal, ending.signal]);
    const losses = new BatchLosses({ ...this.#options, suspension: { isOpen: false } });
    for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      try {
        await this.#writing.write(units, signal);
        await losses.settle([]);
        return !signal.aborted;
      } catch (error) {
        if (hasCode(error, ...REOPEN)) throw error;
        if (signal.aborted) return false;
        onFault(error);
        if (await this.#isSettled(units, error, losses)) return true;
        await pause(wait, undefined, { signal }).catch(() => undefined);
      }
    }
    return false;
  }

  /** Records that a document is rejected or has lost its content. @returns false: it has to be tried again */
  async #isSettled({ row }: DeferredUnits, error: unknown, losses: BatchLosses): Promise<boolean> {
    if (await withoutRejected(this.#options, [{ kind: 'upsert', row }], error)) return true;
    const reason = lossIn(error);
    if (reason === null) return false;
    const { organization, id, contentVersion } = row;
    try {
      await losses.settle([{ organization, id, contentVersion, reason }]);
      return true;
    } catch (fault) {
      this.#options.onFault(fault);
      return false;
    }
  }

  async #finish({ units: { row } }: Job): Promise<void> {
    const { writer, signal, onFault } = this.#options;
    this.#jobs.delete(keyOf(row));
    const write = async () => {
      if (this.#applied === null) return;
      const [first] = this.#jobs.values();
      const late = [...this.#jobs.values()].map(({ units }) => units.row);
      await writer.report?.(this.#applied, late);
      await writer.apply([], first?.before ?? this.#applied);
    };
    for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      try {
        await this.#inTurn(write);
        break;
      } catch (error) {
        if (hasCode(error, ...REOPEN)) throw error;
        onFault(error);
        await pause(wait, undefined, { signal }).catch(() => undefined);
      }
    }
    this.#writing.onChange(row, false);
  }
}
