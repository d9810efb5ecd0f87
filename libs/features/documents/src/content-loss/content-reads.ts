import { setTimeout as pause } from 'node:timers/promises';
import { type AccessScope, hasCode, isTransient, systemScope } from '#platform/kernel';
import type { DocumentState, Live } from '../state.ts';
import type { ContentLosses } from './content-losses.ts';
import { lossIn } from './loss.ts';
import type { LostDocuments } from './lost-documents.ts';

/** How often a read looks for content before its loss is recorded, and the pause in between: a store may be late. */
const LOOKS = 3;
const PAUSE_MS = 200;

export interface ContentReadsOptions {
  readonly load: (scope: AccessScope, id: string) => Promise<DocumentState | { readonly status: 'forbidden' }>;
  readonly losses: ContentLosses;
  readonly lost: Pick<LostDocuments, 'record'>;
}

/** Reads of content for callers. The first one that finds out that content is lost records it in the document. */
export class ContentReads {
  readonly #options: ContentReadsOptions;
  /** Losses that are being recorded, by document. */
  readonly #recording = new Map<string, Promise<void>>();
  /** Documents whose loss was found while losses were not recorded. */
  readonly #suspended = new Set<string>();

  constructor(options: ContentReadsOptions) {
    this.#options = options;
  }

  /**
   * Returns what `read` returns, which is called again if it finds a loss that the document does not say yet.
   * @param document as it is, or was
   * @throws what `read` throws. The document says a loss by then, unless it cannot be recorded at the moment
   */
  async read<T>(document: Live, read: () => Promise<T>): Promise<T> {
    for (let looks = 1; ; looks += 1) {
      try {
        const found = await read();
        if (this.#suspended.has(keyOf(document))) await this.#isBack();
        return found;
      } catch (error) {
        const reason = lossIn(error);
        if (reason === null) throw error;
        if (looks === LOOKS) await this.#record(document, reason);
        if (looks === LOOKS || !(await this.#isNews(document))) throw error;
      }
      await pause(PAUSE_MS);
    }
  }

  /** Requests that read the same document at the same time record one loss. */
  #record(document: Live, reason: string): Promise<void> {
    const key = keyOf(document);
    const recording = this.#recording.get(key) ?? this.#recordNow(document, reason);
    this.#recording.set(key, recording);
    return recording.finally(() => this.#recording.delete(key));
  }

  async #recordNow(document: Live, reason: string): Promise<void> {
    if (!(await this.#isNews(document))) return;
    const { organization, id, contentVersion } = document;
    try {
      await this.#options.losses.admit(1, 'reads');
      await this.#options.lost.record(systemScope(organization), id, contentVersion, reason);
    } catch (error) {
      if (hasCode(error, 'content_loss_suspended')) this.#suspended.add(keyOf(document));
      // A read is answered also while nothing can be recorded, for example on a full disk. The next one tries again.
      if (!isTransient(error)) throw error;
    }
  }

  /** False also for a version of the content that is not the present one, and while losses are not recorded. */
  async #isNews({ organization, id, contentVersion }: Live): Promise<boolean> {
    const present = await this.#options.load(systemScope(organization), id);
    if (present.status !== 'live' || present.stage === 'failed') return false;
    return present.contentVersion === contentVersion && (await this.#options.losses.suspension()) === null;
  }

  /** One document has its content again, so the store is back. What is still lost is found again. */
  async #isBack(): Promise<void> {
    this.#suspended.clear();
    try {
      await this.#options.losses.end('reads');
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
}

const keyOf = ({ organization, id }: Live): string => `${organization} ${id}`;
