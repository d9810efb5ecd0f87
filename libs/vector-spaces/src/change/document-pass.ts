import type { DocumentRepository } from '#documents';
import { documentStream } from '#documents';
import type { EventStore } from '#event-store';
import { hasCode, isMnemeError, systemScope } from '#kernel';
import { type DocumentName, eachDocument } from './each-document.ts';

/** At most one progress report of a pass over the documents in this time. Milliseconds. */
const REPORT_EVERY_MS = 200;
/** Tries of a document that fails for an unknown reason. */
const TRIES = 4;

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
}

/** Works on every document of the log. A document that fails for good is left out. */
export class DocumentPass {
  readonly #sources: PassSources;
  readonly #options: PassOptions;
  /** Streams of the documents that were left out. */
  readonly skipped = new Set<string>();

  constructor(sources: PassSources, options: PassOptions) {
    this.#sources = sources;
    this.#options = options;
  }

  /** @throws a transient error, a lost lease, an error of the whole change; not those of one document */
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
    await eachDocument(store, signal, async (name) => {
      await this.each(name, async () => {
        await work(name);
        const { status } = await repository.peek(systemScope(name.organization), name.id);
        if (status === 'live') documents += 1;
      });
      report();
    });
  }

  /** Works on one document. @throws as `run` */
  async each(name: DocumentName, work: () => Promise<unknown>): Promise<void> {
    for (let left = TRIES; !this.#options.signal.aborted; ) {
      try {
        await work();
        return;
      } catch (error) {
        left -= 1;
        if (stopsAll(error)) throw error;
        if (left > 0 && !isPermanent(error)) continue;
        this.skip(name, error);
        return;
      }
    }
  }

  skip(name: DocumentName, error: unknown): void {
    const stream = documentStream(name.organization, name.id);
    if (this.skipped.has(stream)) return;
    this.skipped.add(stream);
    this.#options.onSkipped(name, error);
  }
}

const isPermanent = (error: unknown): boolean => isMnemeError(error) && error.kind === 'permanent';

/** Whether an error is none of the single document: the same call may succeed later, or the whole change has to end. */
const stopsAll = (error: unknown): boolean =>
  isMnemeError(error) && (error.kind === 'transient' || error.kind === 'fenced' || hasCode(error, 'space_not_changed'));
