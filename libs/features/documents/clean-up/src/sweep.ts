import { setTimeout as pause } from 'node:timers/promises';
import {
  allOf,
  documentOfVectors,
  documentStream,
  type Erasure,
  formerVectorsOf,
  parseDocumentStream,
} from '#features/documents';
import type { BlobStore } from '#ports/blobs';
import { type EventStore, readPages, type StreamKeys } from '#ports/event-store';
import type { VectorStore } from '#ports/vector-store';
import { Failures } from './failures.ts';
import { ERASING } from './finish-erasures.ts';

export interface SweepOptions {
  readonly store: Pick<EventStore, 'readAll' | 'erase'>;
  readonly blobs: Pick<BlobStore, 'listFolders'>;
  readonly vectors: Pick<VectorStore, 'ownersAmong'>;
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

export interface Swept {
  /** Streams of which something was left and is removed now. */
  readonly removed: number;
  /** The next sweep tries these again. */
  readonly failures: Failures;
}

/**
 * Removes what vectors, blobs and keys still hold of erased streams: a process may have been killed after it had stored
 * something for a document that was deleted in the meantime. Compares the erased streams of the whole log with every owner
 * in these stores. Ends early when the signal aborts.
 * @throws the error of a store that does not list its owners, after the others were swept
 */
export async function sweepErased(options: SweepOptions): Promise<Swept> {
  const failures = new Failures();
  const unlisted: unknown[] = [];
  let removed = 0;
  for await (const erased of erasedStreams(options)) {
    const left = await leftOf(options, erased, unlisted);
    for (const [stream, remove] of left) {
      if (options.signal.aborted) break;
      if (await failures.unless(stream, remove)) removed += 1;
    }
  }
  if (unlisted.length > 0) throw unlisted[0];
  return { removed, failures };
}

/**
 * Lists all before the first is removed, because the pages of a listing may shift while it goes on.
 * @param unlisted gets the errors of stores that do not list what they hold
 * @returns by stream, how to remove what is left of it
 */
async function leftOf(
  { store, blobs, vectors, streamKeys, erasure }: SweepOptions,
  erased: ReadonlySet<string>,
  unlisted: unknown[],
): Promise<ReadonlyMap<string, () => Promise<void>>> {
  const owners = new Set<string>();
  const sealed = new Set<string>();
  const listing = (list: () => Promise<void>) => list().catch((error) => unlisted.push(error));
  await listing(async () => {
    const users = new Set([...erased].flatMap((stream) => [stream, formerVectorsOf(stream)]));
    for await (const user of vectors.ownersAmong(users)) owners.add(documentOfVectors(user) ?? user);
  });
  await listing(async () => {
    for await (const folder of blobs.listFolders()) {
      const [organization = '', id = ''] = folder.split('/');
      const stream = documentStream(organization, id);
      if (erased.has(stream)) owners.add(stream);
    }
  });
  await listing(async () => {
    for (const stream of (await streamKeys?.among(erased)) ?? []) sealed.add(stream);
  });
  const remove = async (stream: string) => {
    const name = owners.has(stream) ? parseDocumentStream(stream) : null;
    await allOf([
      ...(sealed.has(stream) ? [store.erase(stream)] : []),
      ...(name === null ? [] : [erasure.erase(name.organization, name.id)]),
    ]);
  };
  return new Map([...owners, ...sealed].map((stream) => [stream, () => remove(stream)]));
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
