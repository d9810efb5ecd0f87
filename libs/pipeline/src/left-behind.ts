import { setTimeout as pause } from 'node:timers/promises';
import type { BlobStore } from '#blobs';
import { type Cause, documentStream, type Erasure, parseDocumentStream, record, SYSTEM } from '#documents';
import { type EventStore, readPages } from '#event-store';
import { type Clock, newId, type OrganizationId } from '#kernel';

/** Its events say how far the log was looked through, so that each deletion is looked at once. */
const CHECKPOINT_STREAM = 'erasure-checkpoint';
const PAGE = 500;

/** How long a blob may stand without the event that names it; an add takes far less between the two. */
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

/** Repeats the erasures that a crash may have cut off between the event and the removal of keys, blobs and vectors. */
export async function finishErasures(store: EventStore, erasure: Erasure, clock: Clock): Promise<void> {
  const checkpoint = (await store.readStream(CHECKPOINT_STREAM)).events.at(-1)?.payload?.position;
  let after = typeof checkpoint === 'string' ? store.parsePosition(checkpoint) : null;
  let erased = 0;
  const deletions = { after, limit: PAGE, filter: { types: ['DocumentDeleted'] } };
  for await (const { events, position } of readPages(store, deletions)) {
    for (const { stream } of events) {
      await store.erase(stream);
      const name = parseDocumentStream(stream);
      if (name !== null) await erasure.erase(name.organization, name.id);
    }
    erased += events.length;
    after = position;
  }
  if (erased === 0) return;
  const cause: Cause = {
    organization: '' as OrganizationId,
    actor: SYSTEM,
    correlationId: newId(),
    causationId: null,
  };
  const finished = record([{ type: 'ErasuresFinished', payload: { position: after } }], cause, [], clock.now());
  await store.append(CHECKPOINT_STREAM, finished, { expected: 'any' });
}
