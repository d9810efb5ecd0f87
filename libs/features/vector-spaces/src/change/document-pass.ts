import { setTimeout as pause } from 'node:timers/promises';
import { type DocumentRepository, documentStream } from '#features/documents';
import { hasCode, isMnemeError, systemScope } from '#platform/kernel';
import type { EventStore } from '#ports/event-store';
import { isModelGone } from '../embed-units.ts';
import { DocumentsFailError } from '../errors.ts';
import { type DocumentName, eachDocument } from './each-document.ts';

/** At most one progress report of a pass over the documents in this time. Milliseconds. */
const REPORT_EVERY_MS = 200;
/** Before each further try of a document that fails for an unknown reason. Milliseconds. */
const PAUSES_MS: readonly number[] = [500, 2_000, 5_000];
/**
 * Documents in a row that fail for unknown reasons, after which a pass ends. Twice as many as are worked on at a time: a text
 * that ends the model's process takes those beside it along.
 */
const MOST_IN_A_ROW = 32;

export interface PassSources {
  readonly documents: DocumentRepository;
  readonly store: Pick<EventStore, 'readAll'>;
}

export interface PassOptions {
  readonly signal: AbortSignal;
  /** @param documents live ones that are done */
  readonly onProgress: (documents: number) => void;
  /** Called for a document that fails for good, e.g. because it cannot be read. The pass goes on with the others. */
  readonly onSkipped: (name: DocumentName, error: unknown) => void;
  /** Before each further try of a document that fails for an unknown reason. Milliseconds. Default: 500, 2000, 5000. */
  readonly pauses?: readonly number[];
}

type Work = () => Promise<unknown>;

interface Failure {
  readonly error: unknown;
  readonly isPermanent: boolean;
}

/**
 * Works on every document of the log. A document that fails for good is left out. Errors whose reason is unknown may be faults
 * that all documents share, such as a shortage of memory: the documents are tried again behind all others, and many in a row
 * end the pass.
 */
export class DocumentPass {
  readonly #sources: PassSources;
  readonly #options: PassOptions;
  /** Streams of the documents that were left out. */
  readonly skipped = new Set<string>();
  #failedInARow = 0;

  constructor(sources: PassSources, options: PassOptions) {
    this.#sources = sources;
    this.#options = options;
  }

  /** @throws a transient error, a lost lease, an error of the whole change or of many documents; not those of one document */
  async run(work: (name: DocumentName) => Promise<unknown>): Promise<void> {
    const { documents: repository, store } = this.#sources;
    const { signal, onProgress } = this.#options;
    let documents = 0;
    let reportedAt = Number.NEGATIVE_INFINITY;
    const report = () => {
      if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = performance.now();
      onProgress(documents);
    };
    report();
    const workOn = (name: DocumentName) => async () => {
      await work(name);
      const { status } = await repository.peek(systemScope(name.organization), name.id);
      if (status === 'live') documents += 1;
    };
    const postponed: DocumentName[] = [];
    await eachDocument(store, signal, async (name) => {
      const failure = await this.#failureOf(workOn(name));
      if (failure?.isPermanent) this.#skip(name, failure);
      else if (failure !== null) postponed.push(name);
      report();
    });
    for (const name of postponed) {
      await this.each(name, workOn(name));
      report();
    }
  }

  /** Works on one document. @throws as `run` */
  async each(name: DocumentName, work: Work): Promise<void> {
    const failure = await this.#failureOf(work);
    if (failure !== null) this.#skip(name, failure);
  }

  /** @returns null: the work is done, or the signal aborted */
  async #failureOf(work: Work): Promise<Failure | null> {
    const { signal, pauses = PAUSES_MS } = this.#options;
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        await work();
        this.#failedInARow = 0;
        return null;
      } catch (error) {
        if (stopsAll(error)) throw error;
        if (isPermanent(error)) return { error, isPermanent: true };
        const next = pauses[tries - 1];
        if (next === undefined) return this.#failed(error);
        await pause(next, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
    return null;
  }

  #failed(error: unknown): Failure {
    this.#failedInARow += 1;
    if (this.#failedInARow < MOST_IN_A_ROW) return { error, isPermanent: false };
    throw new DocumentsFailError(`${MOST_IN_A_ROW} documents in a row failed, the last one with: ${String(error)}`, {
      cause: error,
    });
  }

  #skip(name: DocumentName, { error }: Failure): void {
    const stream = documentStream(name.organization, name.id);
    if (this.skipped.has(stream)) return;
    this.skipped.add(stream);
    this.#options.onSkipped(name, error);
  }
}

const isPermanent = (error: unknown): boolean => isMnemeError(error) && error.kind === 'permanent';

/**
 * Whether an error does not come from the one document: the same call may succeed later, or the whole change has to end. A
 * model process that has ended does not count, because the text of the document may have ended it.
 */
const stopsAll = (error: unknown): boolean =>
  isMnemeError(error) &&
  !isModelGone(error) &&
  (error.kind === 'transient' || error.kind === 'fenced' || hasCode(error, 'space_not_changed'));
