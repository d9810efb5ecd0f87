import {
  type DocumentName,
  type DocumentRepository,
  type Erasure,
  parseDocumentStream,
  REMOVAL_EVENTS,
  type StreamsRemoved,
} from '#features/documents';
import { type Clock, foldWith, type OrganizationId, withoutCredentials } from '#platform/kernel';
import { type EventStore, type Position, record, systemCause } from '#ports/event-store';
import type { ViewsReader } from '#read-side/views';

const REMOVED_STREAMS = 'removed-streams';
/** Names in one event. */
const NAMES = 200;

/** Events that are read at once. */
const PAGE = 100;

type Note = StreamsRemoved['payload'];

const foldNotes = foldWith(REMOVAL_EVENTS, (notes: readonly Note[], event) =>
  event.type === 'StreamsRemoved' ? [...notes, event.payload] : notes,
);

/** Yields what was noted, page by page: the stream has an event for each removal. */
async function* noted(store: Pick<EventStore, 'readStream'>): AsyncGenerator<readonly Note[]> {
  for (let from = 0; ; from += PAGE) {
    const { events } = await store.readStream(REMOVED_STREAMS, { from, limit: PAGE });
    yield events.reduce(foldNotes, []);
    if (events.length < PAGE) return;
  }
}

/** Up to where the log was examined. Null: nowhere yet. */
async function examinedUpTo(store: EventStore): Promise<Position | null> {
  let position: string | null = null;
  for await (const notes of noted(store)) position = notes.at(-1)?.position ?? position;
  return position === null ? null : store.parsePosition(position);
}

/** Returns the streams that an operator removed with the tools of the log's engine, as far as a worker has found them. */
export async function removedStreams(store: Pick<EventStore, 'readStream'>): Promise<readonly string[]> {
  const all = new Set<string>();
  for await (const notes of noted(store))
    for (const { streams } of notes) for (const stream of streams) all.add(stream);
  return [...all];
}

/** The same, and those that no worker has found yet. */
export async function allRemovedStreams(store: EventStore, signal: AbortSignal): Promise<readonly string[]> {
  const after = await examinedUpTo(store);
  const all = new Set(await removedStreams(store));
  for await (const found of store.removals?.({ after, signal }) ?? []) {
    for (const stream of found.streams) all.add(stream);
    if (found.end) break;
  }
  return [...all];
}

export interface RecordRemovalsOptions {
  readonly store: EventStore;
  readonly documents: DocumentRepository;
  readonly erasure: Erasure;
  readonly views: Pick<ViewsReader, 'documents'>;
  readonly clock: Clock;
  /** Hides the document from the answers of this process until the views no longer hold it. */
  readonly hide: (document: DocumentName, position: Position) => void;
  readonly logger: { warn(message: string, cause?: unknown): void };
  readonly signal: AbortSignal;
}

/**
 * Follows the log for streams that an operator removed with the tools of its engine. Their documents are recorded as
 * deleted, so that every reader of the log removes them, and their blobs and vectors are erased. Ends with the signal only.
 */
export async function recordRemovals(options: RecordRemovalsOptions): Promise<void> {
  const { store, logger, signal } = options;
  let isFirst = true;
  const removals = store.removals?.({ after: await examinedUpTo(store), signal }) ?? [];
  for await (const { streams, position: examined } of removals) {
    for (const stream of streams) {
      await recordRemoval(options, stream);
      logger.warn(`the stream ${stream} was removed from the event log; its content is erased`);
    }
    // Once at the beginning, so that the next start need not examine the same part of the log again.
    if (isFirst || streams.length > 0) await note(options, streams, examined);
    isFirst = false;
  }
}

async function recordRemoval(options: RecordRemovalsOptions, stream: string): Promise<void> {
  const name = parseDocumentStream(stream);
  if (name === null) return;
  const { documents, erasure, views, hide, logger } = options;
  const organization = name.organization as OrganizationId;
  const [row] = await views.documents({ organization, tags: 'all' }, [name.id]);
  const known = { tags: row?.tags ?? [], isMemory: row?.memory !== undefined };
  const position = await documents.removed.record(organization, name.id, known);
  if (position !== null) hide(name, position);
  try {
    await erasure.erase(organization, name.id);
  } catch (error) {
    // The garbage collection repeats it, because the deletion is in the log.
    logger.warn(
      `what the removed stream ${stream} has left is erased later: ${withoutCredentials(String(error))}`,
      error,
    );
  }
}

async function note({ store, clock }: RecordRemovalsOptions, streams: readonly string[], position: Position) {
  const events: StreamsRemoved[] = [];
  for (let from = 0; from === 0 || from < streams.length; from += NAMES) {
    events.push({ type: 'StreamsRemoved', payload: { streams: streams.slice(from, from + NAMES), position } });
  }
  const recording = { organization: '', cause: systemCause(), tags: [], now: clock.now() };
  await store.append(REMOVED_STREAMS, record(REMOVAL_EVENTS, events, recording), { expected: 'any' });
}
