import { type ErasedEvent, type Recorded } from '#kernel';
import { contentOf, contentWith, replaced, UNKNOWN, urlOf } from './content/evolve.ts';
import {
  type ContentAppended,
  type DetailsChanged,
  type DocumentAdded,
  type DocumentEvent,
  type MessagesReceived,
  STREAM_REMOVED,
  type TextReceived,
} from './events.ts';
import { UNCHANGED_STAGES } from './processing/progress.ts';
import type { Conversation, Deltas, DocumentState, Failed, Live, Ready, Unread } from './state.ts';

/** What a new version of the content makes outdated. */
const UNPROCESSED = {
  stage: 'queued',
  attempts: 0,
  failedFetches: 0,
  recorded: [],
  error: null,
  extracted: null,
  chunks: null,
  memories: null,
  vectorSpace: null,
} as const;

type LiveEvent = Exclude<Recorded<DocumentEvent>, { readonly type: 'DocumentAdded' | 'DocumentDeleted' }>;

/** Results of work on one version of the content; void once that version is no longer the present one. */
type Outcome = Extract<
  LiveEvent,
  {
    readonly type:
      | 'StageStarted'
      | 'StageAbandoned'
      | 'ContentExtracted'
      | 'PageUnchanged'
      | 'FetchPostponed'
      | 'ContentChunked'
      | 'MemoriesFormed'
      | 'UnitsEmbedded'
      | 'DocumentIndexed'
      | 'ProcessingFailed';
  }
>;

export function evolve(state: DocumentState, event: Recorded<DocumentEvent> | ErasedEvent): DocumentState {
  // An erased payload means that the deletion follows further on in the stream.
  if (event.type === 'DocumentDeleted' && event.code === STREAM_REMOVED) {
    return { status: 'deleted', tags: event.tags, removal: 'recorded' };
  }
  if (event.type === 'DocumentDeleted' || event.type === 'erased') return { status: 'deleted', tags: event.tags };
  if (state.status === 'deleted') return state;
  if (event.type === 'DocumentAdded') return added(event);
  if (state.status === 'absent') return state;
  const next = changed(state, event);
  if (next === state || event.type === 'DocumentImported') return next;
  // The processing of an imported document is no change of it.
  if (state.isImported && event.stage !== undefined) return next;
  return { ...next, isImported: false, updatedAt: Date.parse(event.at) };
}

function added(event: Recorded<DocumentAdded>): Unread {
  const { content, sent = null, ...details } = event.payload;
  const at = Date.parse(event.at);
  const stored = contentOf(content);
  return {
    ...details,
    ...UNPROCESSED,
    status: 'live',
    organization: event.organization,
    tags: event.tags,
    content: stored,
    url: details.url ?? urlOf(stored),
    fetched: null,
    formerPage: null,
    contentVersion: event.contentVersion ?? 1,
    sent,
    waiting: [],
    unitsDate: null,
    unitKey: null,
    hasUnkeyedUnits: false,
    conversation: null,
    title: null,
    summary: null,
    ...UNKNOWN,
    deltas: null,
    request: event.correlationId,
    isImported: false,
    createdAt: at,
    updatedAt: at,
  };
}

function changed(state: Live, event: LiveEvent): Live {
  switch (event.type) {
    case 'ContentAppended':
      return {
        ...unprocessed(state, event),
        deltas: deltasWith(state.deltas, event),
        content: contentWith(state, event.payload.text),
      };
    case 'ContentReplaced':
      return { ...unprocessed(state, event), deltas: null, ...replaced(state, event.payload) };
    case 'TextReceived': {
      const { text, sent, overwrites = false } = event.payload;
      const waiting = [...state.waiting, { text, sent, request: requestOf(event), overwrites }];
      return { ...state, waiting, deltas: deltasWith(state.deltas, event), request: event.correlationId };
    }
    case 'FileRemoved':
      return state;
    case 'MessagesReceived':
      return { ...state, conversation: conversationWith(state.conversation, event.payload) };
    case 'ProcessingRestarted':
      return { ...state, ...UNPROCESSED };
    case 'DocumentImported': {
      const { createdAt, updatedAt } = event.payload;
      return { ...state, isImported: true, createdAt: Date.parse(createdAt), updatedAt: Date.parse(updatedAt) };
    }
    case 'DetailsChanged': {
      const { request: _, metadata = state.metadata, metadataAdded, ...details } = event.payload;
      const isResult = event.stage !== undefined && event.contentVersion === state.contentVersion;
      return {
        ...(isResult ? recording(state, event.stage) : state),
        ...details,
        deltas: isResult || requestOf(event) === state.deltas?.request ? state.deltas : null,
        tags: event.tags,
        metadata: metadataAdded ? { ...metadata, ...metadataAdded } : metadata,
      };
    }
    default:
      return event.contentVersion === state.contentVersion ? processed(state, event) : state;
  }
}

function processed(state: Live, event: Outcome): Live {
  switch (event.type) {
    case 'StageStarted':
      return started(state, event.stage, event.attempt ?? 1);
    case 'StageAbandoned':
      return state.stage === event.stage ? { ...state, attempts: (event.attempt ?? 1) - 1 } : state;
    case 'ContentExtracted': {
      const { text, title, summary, type, date: contentDate = null, fetched = null, ...more } = event.payload;
      const { language = null, author = null, canonicalUrl = null, sections = null } = more;
      const found = { title, summary, type, contentDate, language, author, canonicalUrl, sections };
      const details = { ...recording(state, event.stage), ...found, error: null };
      return {
        ...details,
        stage: 'chunking',
        extracted: text ?? 'content',
        fetched,
        formerPage: null,
        // Recorded with the changes that the waiting texts make.
        waiting: [],
        chunks: null,
        memories: null,
        vectorSpace: null,
      };
    }
    case 'PageUnchanged': {
      const { formerPage } = state;
      if (formerPage === null) return state;
      const { fetched } = event.payload;
      const ready = { ...state, ...formerPage, fetched, formerPage: null, stage: 'done' as const, error: null };
      return { ...ready, attempts: 0, failedFetches: 0, recorded: UNCHANGED_STAGES };
    }
    case 'FetchPostponed':
      return { ...state, attempts: 0, failedFetches: event.attempt ?? 1 };
    case 'ContentChunked': {
      if (!isRead(state)) return state;
      const { chunks, unitKey = null } = event.payload;
      const hasUnkeyedUnits = state.hasUnkeyedUnits || unitKey === null;
      return { ...state, chunks, unitKey: state.unitKey ?? unitKey, hasUnkeyedUnits };
    }
    case 'MemoriesFormed':
      return isChunked(state)
        ? {
            ...recording(state, event.stage),
            stage: 'embedding',
            memories: event.payload.memories,
            unitsDate: state.documentDate ?? state.contentDate,
            error: null,
          }
        : state;
    case 'UnitsEmbedded': {
      if (!isFormed(state)) return state;
      // A document that is done stays done: its vectors came later, with the model.
      const stage = state.stage === 'done' ? 'done' : 'indexing';
      return { ...recording(state, event.stage), stage, vectorSpace: event.payload.space, error: null };
    }
    case 'DocumentIndexed':
      return isFormed(state) ? { ...recording(state, event.stage), stage: 'done', error: null } : state;
    case 'ProcessingFailed': {
      const { message, type = state.type, title = state.title, resource } = event.payload;
      const lacks = resource === undefined ? {} : { resource };
      const error = { stage: event.stage ?? 'unknown', code: event.code ?? 'internal', message, ...lacks };
      return { ...state, type, title, stage: 'failed', attempts: 0, error } as Failed;
    }
  }
}

/** A start counts only if what the stage needs is recorded. */
function started(state: Live, stage: string, attempts: number): Live {
  switch (stage) {
    case 'extracting':
      return { ...state, ...UNPROCESSED, failedFetches: state.failedFetches, stage, attempts };
    case 'chunking':
      return isRead(state) ? { ...state, stage, attempts, error: null, memories: null, vectorSpace: null } : state;
    case 'embedding':
    case 'indexing':
      return isFormed(state) ? { ...state, stage, attempts, error: null } : state;
    default:
      return state;
  }
}

function recording<S extends Live>(state: S, stage: string): S {
  const recorded = state.recorded.includes(stage) ? state.recorded : [...state.recorded, stage];
  return { ...state, recorded, attempts: 0 };
}

/** A request is identified across its changes, and by a retry that continues it. */
const requestOf = (event: Recorded<ContentAppended | TextReceived | DetailsChanged>): string =>
  event.payload.request ?? event.correlationId;

function deltasWith(deltas: Deltas | null, event: Recorded<ContentAppended | TextReceived>): Deltas | null {
  const { sent } = event.payload;
  if (sent === undefined) return null;
  const request = requestOf(event);
  const hashes = deltas?.request === request ? deltas.hashes : [];
  return { request, hashes: hashes.includes(sent) ? hashes : [...hashes, sent] };
}

function unprocessed(state: Live, event: { readonly contentVersion: number; readonly correlationId: string }): Unread {
  return {
    ...state,
    ...UNPROCESSED,
    contentVersion: event.contentVersion ?? state.contentVersion + 1,
    conversation: state.conversation && { ...state.conversation, lastAdded: 0 },
    request: event.correlationId,
  };
}

function conversationWith(
  conversation: Conversation | null,
  { kept, messages }: MessagesReceived['payload'],
): Conversation {
  const lists: Conversation['lists'][number][] = [];
  let rest = kept;
  for (const { list, count } of conversation?.lists ?? []) {
    if (rest > 0) lists.push({ list, count: Math.min(count, rest) });
    rest -= count;
  }
  const added = 'inline' in messages ? messages.inline.length : messages.length;
  return { lists: [...lists, { list: messages, count: added }], lastAdded: added };
}

const isRead = (state: Live): state is Live & { readonly extracted: Ready['extracted'] } => state.extracted !== null;
const isChunked = (state: Live): state is Live & Pick<Ready, 'extracted' | 'chunks'> => state.chunks !== null;
const isFormed = (state: Live): state is Live & Pick<Ready, 'extracted' | 'chunks' | 'memories'> =>
  state.memories !== null;
