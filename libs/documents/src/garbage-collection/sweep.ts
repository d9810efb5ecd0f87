import { setTimeout as pause } from 'node:timers/promises';
import type { BlobStore } from '#blobs';
import { type EventStore, readPages, type StreamKeys } from '#event-store';
import type { VectorCache } from '#vector-cache';
import { documentStream, parseDocumentStream } from '../streams.ts';
import type { Erasure } from './erasure.ts';
import { ERASING } from './finish-erasures.ts';

export interface SweepOptions {
  readonly store: Pick<EventStore, 'readAll' | 'erase'>;
  readonly blobs: Pick<BlobStore, 'listFolders'>;
  readonly vectors: Pick<VectorCache, 'ownersAmong'>;
  /** Null: the log keeps its payloads itself. */
  readonly streamKeys: Pick<StreamKeys, 'among'> | null;
  readonly erasure: Pick<Erasure, 'erase'>;
  readonly signal: AbortSignal;
}

const PAGE = 500;
/** Streams that are compared at a time. Limits the memory of a sweep to some 30 MB. */
const COMPARED_AT_ONCE = 200_000;
/** Rests after a page as long as the page took, so that the log serves writers at least half of the time. Milliseconds. */
const LONGEST_REST_MS = 100;

/**
 * Removes what vectors, blobs and keys still hold of erased streams: a process may have been killed after it had stored
 * something for a document that was deleted in the meantime. Compares the erased streams of the whole log with every owner
 * in these stores. Ends early when the signal aborts.
 * @returns streams of which something was left
 */
export async function sweepErased(options: SweepOptions): Promise<number> {
  let found = 0;
  for await (const erased of erasedStreams(options)) found += await removeLeft(options, erased);
  return found;
}

async function removeLeft(
  { store, blobs, vectors, streamKeys, erasure, signal }: SweepOptions,
  erased: ReadonlySet<string>,
): Promise<number> {
  // All are listed before the first is removed: the pages of a listing may shift while it goes on.
  const left = new Set<string>();
  for await (const owner of vectors.ownersAmong(erased)) left.add(owner);
  for await (const folder of blobs.listFolders()) {
    const [organization = '', id = ''] = folder.split('/');
    const stream = documentStream(organization, id);
    if (erased.has(stream)) left.add(stream);
  }
  for (const stream of left) {
    if (signal.aborted) return left.size;
    const name = parseDocumentStream(stream);
    if (name !== null) await erasure.erase(name.organization, name.id);
  }
  const sealed = signal.aborted ? [] : ((await streamKeys?.among(erased)) ?? []);
  for (const stream of sealed) {
    if (signal.aborted) break;
    await store.erase(stream);
    left.add(stream);
  }
  return left.size;
}

/** Yields the erased streams of the log, a limited number at a time. Ends early when the signal aborts. */
async function* erasedStreams({ store, signal }: SweepOptions): AsyncGenerator<ReadonlySet<string>> {
  let erased = new Set<string>();
  const pages = readPages(store, { after: null, limit: PAGE, filter: { types: ERASING }, envelopesOnly: true });
  let begun = performance.now();
  for await (const { events } of pages) {
    for (const { stream } of events) erased.add(stream);
    const rest = Math.min(performance.now() - begun, LONGEST_REST_MS);
    await pause(rest, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    if (erased.size >= COMPARED_AT_ONCE) {
      yield erased;
      erased = new Set();
    }
    begun = performance.now();
  }
  if (erased.size > 0) yield erased;
}
