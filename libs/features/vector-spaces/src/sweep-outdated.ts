import { setTimeout as pause } from 'node:timers/promises';
import { NEW_VERSIONS, parseDocumentStream } from '#features/documents';
import { giveWayToRequests, isTransient } from '#platform/kernel';
import { type EventStore, type Position, readPages } from '#ports/event-store';
import type { DocumentVectors } from './document-vectors.ts';
import { removeOutdatedVectors } from './outdated-vectors.ts';
import type { SpaceEmbedders } from './space-embedders.ts';

export interface SweepOptions extends DocumentVectors {
  readonly store: Pick<EventStore, 'readAll' | 'head'>;
  readonly embedders: Pick<SpaceEmbedders, 'names' | 'ready'>;
  readonly signal: AbortSignal;
}

export interface KeepSweptOptions extends SweepOptions {
  readonly logger: { warn(message: string, cause?: unknown): void };
}

const PAGE = 500;
/** Documents between two rests, each of which is as long as the work before it, but not longer than this. Milliseconds. */
const BETWEEN_RESTS = 32;
const LONGEST_REST_MS = 100;
const SWEEP_EVERY_MS = 60 * 60_000;
/** While no model is ready, and before a sweep goes on after an error. Milliseconds. */
const LOOK_EVERY_MS = 5_000;

/**
 * Sweeps at its start and every hour, until the signal aborts, when a model is ready: without one the passages have no
 * vectors to compare with. Later sweeps look at the documents that have changed since the start of the last sweep but one, as
 * only an embed stage that ran since then can have been killed. After an error a sweep goes on where it was.
 */
export async function keepSwept(options: KeepSweptOptions): Promise<void> {
  const { store, documents, embedders, logger, signal } = options;
  let begun: Position | null = null;
  let after: Position | null = null;
  let left: readonly string[] = [];
  let sweep: { readonly head: Position | null; readonly work: OutdatedSweep } | null = null;
  while (!signal.aborted) {
    let wait = LOOK_EVERY_MS;
    if (embedders.ready().length > 0) {
      try {
        // A log that was replaced may lack the passages that the vectors are of.
        await documents.orphans.released(signal);
        sweep ??= { head: await store.head(), work: new OutdatedSweep(options, after, left) };
        left = await sweep.work.run();
        after = begun;
        begun = sweep.head;
        sweep = null;
        wait = SWEEP_EVERY_MS;
      } catch (error) {
        if (!signal.aborted)
          logger.warn(`the search for vectors of replaced passages was interrupted: ${String(error)}`, error);
      }
    }
    await pause(wait, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/**
 * Removes vectors of passages that their document has no more: a process may have been killed after the embed stage of a
 * replaced version had stored them and before it could remove them. Looks at every document whose passages have changed and
 * that has vectors.
 */
export class OutdatedSweep {
  readonly #options: SweepOptions;
  /** Changes up to here are known. */
  #after: Position | null;
  #isAtEnd = false;
  readonly #changed: Set<string>;
  /** Documents that are left to look at, those that failed behind the others; null: not listed yet. */
  #owners: readonly string[] | null = null;
  #next = 0;
  #failed: string[] = [];

  /**
   * @param after changes up to here are not looked at
   * @param also documents to look at besides
   */
  constructor(options: SweepOptions, after: Position | null, also: readonly string[] = []) {
    this.#options = options;
    this.#after = after;
    this.#changed = new Set(also);
  }

  /**
   * Goes on where the last call was interrupted by an error. Ends early when the signal aborts.
   * @returns documents that cannot be looked at now, though others can
   * @throws a transient error; call it again later
   */
  async run(): Promise<readonly string[]> {
    const { signal } = this.#options;
    await this.#readChanges();
    this.#owners ??= await this.#list();
    for (;;) {
      await this.#look(this.#owners);
      const failed = this.#failed;
      // Once more, unless none of them could be looked at.
      if (signal.aborted || failed.length === 0 || failed.length === this.#owners.length) return failed;
      this.#owners = failed;
      this.#failed = [];
      this.#next = 0;
    }
  }

  async #look(owners: readonly string[]): Promise<void> {
    const { embedders, signal } = this.#options;
    let begun = performance.now();
    while (this.#next < owners.length) {
      const owner = owners[this.#next] as string;
      const name = parseDocumentStream(owner);
      if (signal.aborted) return;
      await giveWayToRequests();
      this.#next += 1;
      // Spaces may change meanwhile.
      const spaces = embedders.names();
      try {
        if (name !== null) await removeOutdatedVectors({ ...this.#options, spaces }, name.organization, name.id);
      } catch (error) {
        // A document whose texts cannot be read must not keep the sweep from the others.
        if (isTransient(error)) {
          this.#failed.push(owner);
          throw error;
        }
      }
      if (this.#next % BETWEEN_RESTS > 0) continue;
      await rest(begun, signal);
      begun = performance.now();
    }
  }

  async #list(): Promise<readonly string[]> {
    const owners: string[] = [];
    // All are listed before the first is changed: the pages of a listing may shift while it goes on.
    for await (const owner of this.#options.vectors.ownersAmong(this.#changed)) owners.push(owner);
    return owners;
  }

  async #readChanges(): Promise<void> {
    const { store, signal } = this.#options;
    if (this.#isAtEnd) return;
    let begun = performance.now();
    const options = { after: this.#after, limit: PAGE, filter: { types: NEW_VERSIONS }, envelopesOnly: true };
    for await (const { events, position, end } of readPages(store, options)) {
      for (const { stream } of events) this.#changed.add(stream);
      this.#after = position;
      this.#isAtEnd = end;
      await rest(begun, signal);
      if (signal.aborted) return;
      begun = performance.now();
    }
  }
}

/** Rests as long as the work took. */
async function rest(begun: number, signal: AbortSignal): Promise<void> {
  const wait = Math.min(performance.now() - begun, LONGEST_REST_MS);
  await pause(wait, undefined, { signal, ref: false }).catch(() => undefined);
}
