import { type EventStore, type Position, readPages } from '#ports/event-store';
import { deletionStream, OPEN_DELETIONS_STREAM, parseDocumentStream } from '../streams.ts';
import { foldDeletion, foldOpen } from './deletion-log.ts';
import type { SelectedBy } from './events.ts';
import { initialDeletion, noneOpen } from './evolve.ts';

type Log = Pick<EventStore, 'readStream' | 'readAll'>;

/** A bulk deletion that is being carried out, or waits for a process that does. */
export interface DeletionProgress {
  readonly id: string;
  readonly by: SelectedBy;
  /** ISO 8601. */
  readonly requestedAt: string;
  /** How many documents it has deleted. */
  readonly documents: number;
}

const PAGE = 1_000;

/** Returns the bulk deletions that are not finished, oldest first. */
export async function inspectDeletions(store: Log): Promise<readonly DeletionProgress[]> {
  const { events } = await store.readStream(OPEN_DELETIONS_STREAM);
  const found: DeletionProgress[] = [];
  for (const { organization, id } of events.reduce(foldOpen, noneOpen).open) {
    const stream = await store.readStream(deletionStream(organization, id));
    const state = stream.events.reduce(foldDeletion, initialDeletion);
    const [first] = stream.events;
    if (state.status !== 'running' || first === undefined) continue;
    const documents = await deletedBy(store, first.position, first.envelope.id);
    found.push({ id, by: state.by, requestedAt: first.envelope.at, documents: documents.length });
  }
  return found;
}

/** Returns the ids of the documents whose deletion an event has caused. */
export async function deletedBy(store: Log, after: Position, causationId: string): Promise<readonly string[]> {
  const options = { after, limit: PAGE, filter: { types: ['DocumentDeleted'] }, envelopesOnly: true };
  const ids: string[] = [];
  for await (const { events } of readPages(store, options)) {
    for (const { envelope, stream } of events) {
      const document = envelope.causationId === causationId ? parseDocumentStream(stream) : null;
      if (document !== null) ids.push(document.id);
    }
  }
  return ids;
}
