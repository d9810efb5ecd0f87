import { createHash } from 'node:crypto';
import {
  DOCUMENT_EVENTS,
  type DocumentTexts,
  type EventTime,
  isOpening,
  opensMemory,
  withFormerTags,
} from '#features/documents';
import {
  base62,
  derivedId,
  type FormerTags,
  isoTime,
  type JsonObject,
  newId,
  type OrganizationId,
} from '#platform/kernel';
import { type NewEvent, type RecordedEvent, SYSTEM } from '#ports/event-store';
import type { HistoryEntry, ImportedDocument } from './format.ts';

const ID_LENGTH = 22;
/** The characters of an id that hold its time. */
const TIME_LENGTH = 7;
const CORRELATION_ID = /^[A-Za-z0-9_.:-]{1,200}$/;
/** Units of a document with another id are made again, because their ids would be those of the first document. */
const UNITS = new Set(['ContentChunked', 'MemoriesFormed']);

/** Versions of a memory, which say when they were recorded first. */
const VERSIONS = new Set(['MemoryRecorded', 'MemoryRevised']);

/** After one of these, nothing of an import is missing. */
const ENDS = new Set(['DocumentImported', 'DocumentDeleted']);

/** Returns the id that a document gets instead of its own: the same one in every import of this organization. */
export function freshId(organization: string, id: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(['import', organization, id]))
    .digest();
  return (id.slice(0, TIME_LENGTH) + base62(digest)).slice(0, ID_LENGTH);
}

/** Returns the history as that of a document with another id. */
export function withId(history: readonly HistoryEntry[], id: string, organization: string): readonly HistoryEntry[] {
  const fresh = (one: string) => freshId(organization, one);
  return history
    .filter(({ type }) => !UNITS.has(type))
    .map((entry) => ({ ...entry, payload: payloadWithId(entry, id, fresh) }));
}

const idsIn = (payload: HistoryEntry['payload']): readonly string[] => (payload?.ids ?? []) as readonly string[];

/** Returns the document that a memory was formed from. Null: no such memory. */
export function documentOf([first]: readonly HistoryEntry[]): string | null {
  return first?.type === 'PassageTouched' ? ((first.payload?.documentId ?? null) as string | null) : null;
}

/** Returns the history of a memory as one that was formed from another document. */
export const ofDocument = (history: readonly HistoryEntry[], documentId: string): readonly HistoryEntry[] =>
  history.map((entry, i) => (i === 0 ? { ...entry, payload: { ...entry.payload, documentId } } : entry));

/** Later versions of a memory have ids of their own, which are those of the first memory as well. */
function payloadWithId(
  { type, payload, contentVersion }: HistoryEntry,
  id: string,
  fresh: (id: string) => string,
): HistoryEntry['payload'] {
  if (isOpening(type)) return { ...payload, id };
  // Its memories have been given other ids where theirs were taken.
  if (type === 'MemoriesTouched') return { ...payload, ids: [...idsIn(payload), ...idsIn(payload).map(fresh)] };
  return type === 'MemoryRevised' ? { ...payload, id: derivedId(id, contentVersion ?? 0) } : payload;
}

export interface Recording {
  readonly organization: OrganizationId;
  /** Of the document. */
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Returns the events of a history as they are recorded by an import. Their ids follow from that of the document, so that an
 * import that was interrupted recognises what it has recorded.
 */
export function eventsOfHistory(history: readonly HistoryEntry[], { organization, id, now }: Recording): NewEvent[] {
  const recordedAt = isoTime(now);
  const category = categoryOf(history);
  return history.map(({ at, payload, correlationId, ...facts }, index) => ({
    envelope: {
      ...factsOf(facts),
      ...category,
      ...{ id: derivedId(id, index), at: recordedAt, organization, actor: SYSTEM, causationId: null },
      correlationId: CORRELATION_ID.test(correlationId) ? correlationId : newId(),
    },
    payload: VERSIONS.has(facts.type) ? { ...payload, recordedAt: at } : payload,
  }));
}

const categoryOf = ([first]: readonly HistoryEntry[]): { readonly category?: 'memory' } =>
  opensMemory(first?.type) ? { category: 'memory' } : {};

/** The envelope is kept for ever, so it gets nothing but what belongs there. */
function factsOf({
  type,
  schemaVersion,
  tags,
  contentVersion,
  stage,
  attempt,
  code,
  sizes,
}: Omit<HistoryEntry, 'at' | 'payload' | 'correlationId'>) {
  return {
    ...{ type, schemaVersion, tags },
    ...(contentVersion !== undefined && { contentVersion }),
    ...(stage !== undefined && { stage }),
    ...(attempt !== undefined && { attempt }),
    ...(code !== undefined && { code }),
    ...(sizes !== undefined && { sizes }),
  };
}

/** Whether the events are a part of a document that an import recorded until it was interrupted, and nobody has changed since. */
export function isInterrupted(events: readonly RecordedEvent[]): boolean {
  if (!isOpening(events[0]?.envelope.type ?? '')) return false;
  return events.every(({ envelope }) => envelope.actor === SYSTEM && !ENDS.has(envelope.type));
}

/** Returns the event that ends an import: when the events before it were recorded first. */
export async function importedEvent(
  { createdAt, updatedAt }: Pick<ImportedDocument, 'createdAt' | 'updatedAt'>,
  history: readonly HistoryEntry[],
  texts: DocumentTexts,
  { organization, id, now }: Recording,
): Promise<NewEvent> {
  const times: EventTime[] = [];
  for (const [revision, { at }] of history.entries()) if (times.at(-1)?.[1] !== at) times.push([revision, at]);
  const formerTags = formerTagsOf(history);
  const payload = {
    ...{ createdAt, updatedAt, times: await texts.storeList(organization, id, times) },
    ...(formerTags.length > 0 && { formerTags }),
  };
  return {
    envelope: {
      ...{
        id: derivedId(id, history.length),
        type: 'DocumentImported',
        schemaVersion: DOCUMENT_EVENTS.DocumentImported.version,
      },
      ...{ at: isoTime(now), organization, tags: history.at(-1)?.tags ?? [], ...categoryOf(history) },
      ...{ actor: SYSTEM, correlationId: newId(), causationId: null },
    },
    payload: payload as unknown as JsonObject,
  };
}

function formerTagsOf(history: readonly HistoryEntry[]): readonly FormerTags[] {
  let tagged = { tags: history[0]?.tags ?? [], formerTags: [] as readonly FormerTags[] };
  for (const { tags, at } of history) tagged = withFormerTags(tagged, { ...tagged, tags }, at);
  return tagged.formerTags;
}
