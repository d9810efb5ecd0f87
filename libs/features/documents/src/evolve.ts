import { type ErasedEvent, type Recorded } from '#platform/kernel';
import { DOCUMENT_EVENTS } from './catalogue.ts';
import { bordersWith, contentOf, contentWith, replaced, UNREAD, urlOf } from './content/evolve.ts';
import { conversationWith, withPicturesRead } from './conversation/evolve.ts';
import {
  type ContentAppended,
  type DetailsChanged,
  type DocumentAdded,
  type DocumentEvent,
  STREAM_REMOVED,
  type TextReceived,
} from './events.ts';
import { withFormerTags } from './former-tags.ts';
import { documentOf, memoryBegun, memoryChanged } from './memories/evolve.ts';
import { processed, recording, UNPROCESSED } from './processing/evolve.ts';
import type { Deltas, DocumentState, Live, Unread } from './state.ts';

type LiveEvent = Exclude<
  Recorded<DocumentEvent>,
  { readonly type: 'DocumentAdded' | 'MemoryRecorded' | 'PassageTouched' | 'DocumentDeleted' }
>;

export function evolve(state: DocumentState, event: Recorded<DocumentEvent> | ErasedEvent): DocumentState {
  // An erased payload means that the deletion follows further on in the stream.
  if (event.type === 'DocumentDeleted' && event.code === STREAM_REMOVED) {
    return { status: 'deleted', tags: event.tags, removal: 'recorded' };
  }
  if (event.type === 'DocumentDeleted' || event.type === 'erased') return { status: 'deleted', tags: event.tags };
  if (state.status === 'deleted') return state;
  if (event.type === 'DocumentAdded') return added(event);
  if (event.type === 'MemoryRecorded' || event.type === 'PassageTouched') return memoryBegun(event);
  if (state.status === 'absent') return state;
  const next = withFormerTags(state, changed(state, event), event.at);
  if (next === state || !DOCUMENT_EVENTS[event.type].isUpdate) return next;
  // The processing of an imported document, or of a memory, is no change of it.
  if ((state.isImported || state.memory !== null) && event.stage !== undefined) return next;
  return { ...next, isImported: false, updatedAt: Date.parse(event.at) };
}

function added(event: Recorded<DocumentAdded>): Unread {
  const { content, sent = null, ...details } = event.payload;
  const at = Date.parse(event.at);
  const stored = contentOf(content);
  return {
    ...details,
    ...UNREAD,
    ...UNPROCESSED,
    status: 'live',
    organization: event.organization,
    tags: event.tags,
    content: stored,
    url: details.url ?? urlOf(stored),
    contentVersion: event.contentVersion,
    sent,
    unitsDate: null,
    memory: null,
    touched: [],
    discarded: 0,
    formerTags: [],
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
        borders: bordersWith(state, event.payload),
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
    case 'PicturesRead':
      return { ...state, conversation: state.conversation && withPicturesRead(state.conversation, event.payload) };
    case 'MemoryRevised':
    case 'MemoryForgotten':
    case 'MemoryRestored':
    case 'SentencesRestored':
    case 'MemoryExpired':
      return memoryChanged(state, event);
    case 'MemoriesTouched':
      return { ...state, touched: [...state.touched, ...event.payload.ids] };
    case 'ProcessingRestarted':
      if (state.memory !== null) return { ...state, ...documentOf(state.memory) };
      return { ...state, ...UNPROCESSED, discarded: discardedIn(state) };
    case 'DocumentImported': {
      const { createdAt, updatedAt, formerTags = [] } = event.payload;
      const times = { createdAt: Date.parse(createdAt), updatedAt: Date.parse(updatedAt) };
      return { ...state, ...times, isImported: true, formerTags };
    }
    case 'DetailsChanged': {
      const { request: _, metadata = state.metadata, metadataAdded, fileName, ...details } = event.payload;
      const isResult = event.stage !== undefined && event.contentVersion === state.contentVersion;
      return {
        ...(isResult ? recording(state, event.stage) : state),
        ...details,
        ...(fileName !== undefined && renamed(state.content, fileName)),
        deltas: isResult || requestOf(event) === state.deltas?.request ? state.deltas : null,
        tags: event.tags,
        memory: state.memory && { ...state.memory, tags: event.tags },
        metadata: metadataAdded ? { ...metadata, ...metadataAdded } : metadata,
      };
    }
    default:
      return event.contentVersion === state.contentVersion ? processed(state, event) : state;
  }
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
    discarded: discardedIn(state),
    contentVersion: event.contentVersion,
    conversation: state.conversation && { ...state.conversation, lastAdded: 0 },
    request: event.correlationId,
  };
}

const renamed = (content: Live['content'], name: string) => ({
  title: name,
  ...('file' in content && { content: { ...content, file: { ...content.file, name } } }),
});

const discardedIn = ({ stage, discarded }: Live): number => (stage === 'done' ? discarded + 1 : discarded);
