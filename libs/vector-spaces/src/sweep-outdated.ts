import { setTimeout as pause } from 'node:timers/promises';
import { parseDocumentStream } from '#documents';
import { type EventStore, type Position, readPages } from '#event-store';
import { giveWayToRequests, isTransient } from '#kernel';
import type { DocumentVectors } from './document-vectors.ts';
import { removeOutdatedVectors } from './outdated-vectors.ts';
import type { SpaceEmbedders } from './space-embedders.ts';

export interface SweepOptions extends DocumentVectors {
  readonly store: Pick<EventStore, 'readAll' | 'head'>;
  readonly embedders: Pick<SpaceEmbedders, 'names' | 'ready'>;
  readonly signal: AbortSignal;
}

export interface KeepSweptOptions extends SweepOptions {
  readonly logger: { warn(message: string): void };
}

/** After these a document has other passages than before. */
const CHANGES: readonly string[] = ['ContentReplaced', 'ContentAppended', 'ProcessingRestarted'];
const PAGE = 500;
/** Documents between two rests, each of which is as long as the work before it, but not longer than this. Milliseconds. */
const BETWEEN_RESTS = 32;
const LONGEST_REST_MS = 100;
const SWEEP_EVERY_MS = 60 * 60_000;
/** While no model is ready, and after an error. Milliseconds. */
const LOOK_EVERY_MS = 5_000;

/**
 * Sweeps at its start and every hour, until the signal aborts, when a model is ready: without one the passages have no
 * vectors to compare with. Later sweeps look at the documents that have changed since the start of the last sweep but one, as
 * only an embed stage that ran since then can have been killed.
 */
export async function keepSwept(options: KeepSweptOptions): Promise<void> {
  const { store, embedders, logger, signal } = options;
  let begun: Position | null = null;
  let after: Position | null = null;
  while (!signal.aborted) {
    let wait = LOOK_EVERY_MS;
    if (embedders.ready().length > 0) {
      try {
        const head: Position | null = await store.head();
        await sweepOutdated(options, after);
        after = begun;
        begun = head;
        wait = SWEEP_EVERY_MS;
      } catch (error) {
        if (!signal.aborted) logger.warn(`vectors of replaced passages were not looked for: ${String(error)}`);
      }
    }
    await pause(wait, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/**
 * Removes vectors of passages that their document has no more: a process may have been killed after the embed stage of a
 * replaced version had stored them and before it could remove them. Looks at every document whose passages have changed and
 * that has vectors. Ends early when the signal aborts.
 * @param after changes up to here are not looked at
 */
export async function sweepOutdated(options: SweepOptions, after: Position | null): Promise<void> {
  const { vectors, embedders, signal } = options;
  const changed = await changedSince(options, after);
  const owners: string[] = [];
  // All are listed before the first is changed: the pages of a listing may shift while it goes on.
  for await (const owner of vectors.ownersAmong(changed)) owners.push(owner);
  let begun = performance.now();
  for (const [i, owner] of owners.entries()) {
    const name = parseDocumentStream(owner);
    if (signal.aborted) return;
    await giveWayToRequests();
    // Spaces may change meanwhile.
    const spaces = embedders.names();
    if (name !== null) await removeUnlessBroken({ ...options, spaces }, name.organization, name.id);
    if (i % BETWEEN_RESTS > 0) continue;
    await rest(begun, signal);
    begun = performance.now();
  }
}

/** A document whose texts cannot be read must not keep the sweep from the others. */
async function removeUnlessBroken(...args: Parameters<typeof removeOutdatedVectors>): Promise<void> {
  try {
    await removeOutdatedVectors(...args);
  } catch (error) {
    if (isTransient(error)) throw error;
  }
}

async function changedSince({ store, signal }: SweepOptions, after: Position | null): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  let begun = performance.now();
  const options = { after, limit: PAGE, filter: { types: CHANGES }, envelopesOnly: true };
  for await (const { events } of readPages(store, options)) {
    for (const { stream } of events) changed.add(stream);
    await rest(begun, signal);
    if (signal.aborted) break;
    begun = performance.now();
  }
  return changed;
}

/** Rests as long as the work took. */
async function rest(begun: number, signal: AbortSignal): Promise<void> {
  const wait = Math.min(performance.now() - begun, LONGEST_REST_MS);
  await pause(wait, undefined, { signal, ref: false }).catch(() => undefined);
}
