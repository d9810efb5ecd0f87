import { lossIn, parseDocumentStream } from '#features/documents';
import { type JsonObject, type OrganizationId, systemScope } from '#platform/kernel';
import { positionInLog } from '#ports/event-feed';
import { type EventFilter, type EventStore, type Position, type RecordedEvent, readPages } from '#ports/event-store';
import { type OperationsContext, OperatorError } from './operation.ts';
import { namedIn } from './organization-of.ts';

const PAGE = 1_000;

/** Yields envelopes from a position to the end of the log at the time of reading. */
export async function* eventsOf(
  store: EventStore,
  filter: EventFilter,
  from: Position | null = null,
): AsyncGenerator<RecordedEvent> {
  const range = { after: from, limit: PAGE, filter, envelopesOnly: true };
  for await (const { events } of readPages(store, range)) yield* events;
}

/** The events of one stream. */
export interface NamedStream {
  readonly events: readonly RecordedEvent[];
}

export interface NamedDocument extends NamedStream {
  readonly organization: OrganizationId;
  readonly id: string;
}

/**
 * Returns a document of any organization by its id, or, if it is not deleted, by its customId.
 * @throws OperatorError if it does not exist, or in several organizations of which `input` names none
 */
export async function documentNamed(
  context: OperationsContext,
  idOrCustomId: string,
  input: JsonObject,
): Promise<NamedDocument> {
  const all: NamedDocument[] = [];
  for (const { id: organization } of await namedIn(context, input)) {
    const found = await context.parts.documents.events(systemScope(organization), idOrCustomId);
    const first = found.ok ? found.value[0] : undefined;
    const name = first && parseDocumentStream(first.stream);
    if (found.ok && name) all.push({ organization, id: name.id, events: found.value });
  }
  const [one, ...others] = all;
  if (one === undefined) {
    throw new OperatorError(`There is no document ${idOrCustomId}, and there never was one of this id`);
  }
  if (others.length === 0) return one;
  throw new OperatorError(
    `${all.length} organizations have a document ${idOrCustomId}. Name one of them with --organization.`,
  );
}

/**
 * Returns a memory that was recorded directly, of any organization, by the id of any of its versions; after its deletion only
 * by that of the first.
 * @throws OperatorError if it does not exist
 */
export async function memoryNamed(context: OperationsContext, id: string, input: JsonObject): Promise<NamedStream> {
  const { parts } = context;
  const organizations = await namedIn(context, input);
  for (const { id: organization } of organizations) {
    const found = await parts.documents.memoryEvents(systemScope(organization), id);
    if (found.ok) return { events: found.value };
  }
  for await (const event of versionsIn(parts.storage.store)) {
    const name = versionIn(event) === id ? parseDocumentStream(event.stream) : null;
    if (name === null || organizations.every((one) => one.id !== name.organization)) continue;
    const found = await parts.documents.memoryEvents(systemScope(name.organization), name.id);
    if (found.ok) return { events: found.value };
  }
  throw new OperatorError(`There is no memory ${id} that was recorded directly.`);
}

/** Null: it is erased, or it cannot be read because the key of its stream is lost. */
function versionIn(event: RecordedEvent): unknown {
  try {
    return event.payload?.id ?? null;
  } catch (error) {
    if (lossIn(error) === null) throw error;
    return null;
  }
}

/** Yields the later versions of memories. The views, which know them by their ids, may not be there. */
async function* versionsIn(store: EventStore): AsyncGenerator<RecordedEvent> {
  const range = { after: null, limit: PAGE, filter: { types: ['MemoryRevised'] } };
  for await (const { events } of readPages(store, range)) yield* events;
}

/** Parses a position of this log, up to its present end. @throws OperatorError for any other text */
export async function positionOf(store: EventStore, text: string): Promise<Position> {
  const own = `${store.storeId}:`;
  const position = await positionInLog(store, text.startsWith(own) ? text.slice(own.length) : text);
  if (position !== null) return position;
  throw new OperatorError(
    `${text} is not the position of an event of this log. Take one that \`mneme events\` or the event feed has returned; ` +
      `positions look like ${own}…`,
  );
}
