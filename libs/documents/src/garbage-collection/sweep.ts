import { setTimeout as pause } from 'node:timers/promises';
import type { BlobStore } from '#blobs';
import { type EventStore, type Position, type RecordedEvent, readPages, record, systemCause } from '#event-store';
import { type Clock, foldWith, readEvent } from '#kernel';
import { lossIn } from '../content-loss/loss.ts';
import { DOCUMENT_EVENTS } from '../events.ts';
import { documentStream, parseDocumentStream } from '../streams.ts';
import type { Erasure } from './erasure.ts';
import { ERASURE_EVENTS } from './events.ts';

const CHECKPOINT_STREAM = 'erasure-checkpoint';
const PAGE = 500;
/** Events whose append erases their stream, of every feature. */
const ERASING = ['DocumentDeleted', 'BulkDeletionFinished', 'ContainerTagRemoved', 'SettingsReset', 'SecretErased'];

/** How long a blob may exist before the event that names it; an add takes far less between the two. */
const ADD_TAKES_MS = 60_000;

/** Removes blobs whose document was never added, because the process ended between the two. */
export async function removeOrphans(store: EventStore, blobs: BlobStore, signal: AbortSignal): Promise<void> {
  const orphans: string[] = [];
  for await (const folder of blobs.listFolders()) if (await isOrphan(store, folder)) orphans.push(folder);
  if (orphans.length === 0) return;
  await pause(ADD_TAKES_MS, undefined, { signal, ref: false });
  for (const folder of orphans) if (await isOrphan(store, folder)) await blobs.deletePrefix(`${folder}/`);
}

async function isOrphan(store: EventStore, folder: string): Promise<boolean> {
  const [organization = '', id = ''] = folder.split('/');
  return (await store.readStream(documentStream(organization, id))).revision === 'no-stream';
}

const foldCheckpoint = foldWith(ERASURE_EVENTS, (position: string | null, event) =>
  event.type === 'ErasuresFinished' ? event.payload.position : position,
);

/** Returns up to where the erasures of all deletions have been repeated. Null: none. */
async function sweptTo(store: Pick<EventStore, 'readStream' | 'parsePosition'>): Promise<Position | null> {
  const checkpoint = (await store.readStream(CHECKPOINT_STREAM)).events.reduce(foldCheckpoint, null);
  return checkpoint === null ? null : store.parsePosition(checkpoint);
}

/** Counts the deletions whose erasure the next `finishErasures` makes sure of. */
export async function countUnswept(
  store: Pick<EventStore, 'readStream' | 'readAll' | 'parsePosition'>,
): Promise<number> {
  const options = { after: await sweptTo(store), limit: PAGE, filter: { types: ERASING }, envelopesOnly: true };
  let count = 0;
  for await (const { events } of readPages(store, options)) count += events.length;
  return count;
}

/** Repeats the erasures that a crash may have cut off between the event and the removal of keys, blobs and vectors. */
export async function finishErasures(store: EventStore, erasure: Erasure, clock: Clock): Promise<void> {
  let after = await sweptTo(store);
  let erased = 0;
  const erasing = { after, limit: PAGE, filter: { types: [...ERASING, 'FileRemoved'] } };
  for await (const { events, position } of readPages(store, erasing)) {
    for (const event of events) {
      const { stream } = event;
      if (event.envelope.type === 'FileRemoved') {
        await eraseFile(event, erasure);
        continue;
      }
      await store.erase(stream);
      const name = parseDocumentStream(stream);
      if (name !== null) await erasure.erase(name.organization, name.id);
    }
    erased += events.length;
    after = position;
  }
  if (erased === 0) return;
  const recording = { organization: '', cause: systemCause(), tags: [], now: clock.now() };
  const finished = record(ERASURE_EVENTS, [{ type: 'ErasuresFinished', payload: { position: after } }], recording);
  await store.append(CHECKPOINT_STREAM, finished, { expected: 'any' });
}

/** Of a document that was deleted since, nothing is left to erase. */
async function eraseFile(event: RecordedEvent, erasure: Erasure): Promise<void> {
  try {
    const read = readEvent(DOCUMENT_EVENTS, event);
    if (read?.type === 'FileRemoved') await erasure.eraseFile(read.payload.blob);
  } catch (error) {
    if (lossIn(error) === null) throw error;
  }
}
