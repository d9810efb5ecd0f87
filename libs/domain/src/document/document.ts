import type { Metadata } from '#kernel';
import type { Happened } from '../happened.ts';
import type {
  ChunkRef,
  DocumentEventType,
  DocumentPayloads,
  FileRef,
  ListRef,
  MemoryRef,
  TaskType,
  TextRef,
} from './events.ts';

export type DocumentStage = 'queued' | 'extracting' | 'chunking' | 'embedding' | 'indexing' | 'done' | 'failed';

export interface Absent {
  readonly status: 'absent';
}

/** What is left of a document after its deletion: that it was. */
export interface Deleted {
  readonly status: 'deleted';
}

export interface Live {
  readonly status: 'live';
  readonly id: string;
  readonly organization: string;
  readonly customId: string | null;
  readonly tags: readonly string[];
  readonly metadata: Metadata | null;
  readonly filepath: string | null;
  readonly taskType: TaskType;
  readonly documentDate: string | null;
  readonly type: string;
  readonly source: string;
  readonly url: string | null;
  /** The parts of the text in order, or the file. */
  readonly content: { readonly parts: readonly TextRef[] } | { readonly file: FileRef };
  /** Raised by every change of the content and by nothing else; a result for another version is dropped. */
  readonly contentVersion: number;
  readonly stage: DocumentStage;
  /** Starts of the present stage that have had no outcome yet. */
  readonly attempts: number;
  readonly error: { readonly stage: string; readonly code: string; readonly message: string } | null;
  /** `content`: the stored text stands for itself. Null: not extracted yet. */
  readonly extracted: 'content' | TextRef | null;
  readonly title: string | null;
  readonly summary: string | null;
  readonly chunks: ListRef<ChunkRef> | null;
  readonly memories: ListRef<MemoryRef> | null;
  /** Where the vectors of the present content version were made; null: none yet. */
  readonly vectorSpace: string | null;
  /** Correlation ids of the newest content changes, by which a repeated request is recognised. */
  readonly requests: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type DocumentState = Absent | Deleted | Live;

const REMEMBERED_REQUESTS = 16;

/** What a new version of the content makes out of date. */
const UNPROCESSED = {
  stage: 'queued',
  attempts: 0,
  error: null,
  extracted: null,
  chunks: null,
  memories: null,
  vectorSpace: null,
} as const;

/** Events that say what came out of one version of the content; void once that version is no longer the present one. */
const RESULTS: ReadonlySet<string> = new Set<DocumentEventType>([
  'StageStarted',
  'ContentExtracted',
  'ContentChunked',
  'MemoriesFormed',
  'UnitsEmbedded',
  'DocumentIndexed',
  'ProcessingFailed',
]);

/** What says nothing without its payload. */
const WITH_PAYLOAD: ReadonlySet<string> = new Set<DocumentEventType>([
  'DocumentAdded',
  'ContentAppended',
  'ContentReplaced',
  'DetailsChanged',
  'ContentExtracted',
  'ContentChunked',
  'MemoriesFormed',
  'UnitsEmbedded',
  'ProcessingFailed',
]);

export const initialState: DocumentState = { status: 'absent' };

/** Version of the shape of the state; a snapshot of another one is not used. */
export const STATE_VERSION = 1;

export function evolve(state: DocumentState, event: Happened): DocumentState {
  const { type, at, contentVersion } = event.envelope;
  if (type === 'DocumentDeleted') return { status: 'deleted' };
  if (state.status === 'deleted') return state;
  // The stream was erased, possibly after its first events had been read: the deletion stands further on.
  if (event.payload === null && WITH_PAYLOAD.has(type)) return { status: 'deleted' };
  if (type === 'DocumentAdded') return added(event);
  if (state.status === 'absent') return state;
  if (RESULTS.has(type) && contentVersion !== state.contentVersion) return state;
  return { ...change(state, type as DocumentEventType, event), updatedAt: Date.parse(at) };
}

function added(event: Happened): Live {
  const payload = event.payload as unknown as DocumentPayloads['DocumentAdded'];
  const { envelope } = event;
  const at = Date.parse(envelope.at);
  return {
    ...UNPROCESSED,
    status: 'live',
    id: payload.id,
    organization: envelope.organization,
    customId: payload.customId,
    tags: envelope.tags,
    metadata: payload.metadata,
    filepath: payload.filepath,
    taskType: payload.taskType,
    documentDate: payload.documentDate,
    type: payload.type,
    source: payload.source,
    url: payload.url,
    content: 'text' in payload.content ? { parts: [payload.content.text] } : payload.content,
    contentVersion: envelope.contentVersion ?? 1,
    title: null,
    summary: null,
    requests: [envelope.correlationId],
    createdAt: at,
    updatedAt: at,
  };
}

function change(state: Live, type: DocumentEventType, { envelope, payload }: Happened): Live {
  const data = payload as unknown;
  switch (type) {
    case 'ContentAppended': {
      const { text } = data as DocumentPayloads['ContentAppended'];
      const parts = 'parts' in state.content ? [...state.content.parts, text] : [text];
      return { ...renewed(state, envelope), content: { parts } };
    }
    case 'ContentReplaced': {
      const { content } = data as DocumentPayloads['ContentReplaced'];
      return { ...renewed(state, envelope), content: 'text' in content ? { parts: [content.text] } : content };
    }
    case 'DetailsChanged': {
      const { metadata = state.metadata, metadataAdded } = data as DocumentPayloads['DetailsChanged'];
      return { ...state, tags: envelope.tags, metadata: metadataAdded ? { ...metadata, ...metadataAdded } : metadata };
    }
    case 'StageStarted':
      return { ...state, stage: envelope.stage as DocumentStage, attempts: envelope.attempt ?? 1 };
    case 'ContentExtracted': {
      const { text, ...details } = data as DocumentPayloads['ContentExtracted'];
      return { ...state, ...details, stage: 'chunking', attempts: 0, extracted: text ?? 'content' };
    }
    case 'ContentChunked':
      return { ...state, chunks: (data as DocumentPayloads['ContentChunked']).chunks };
    case 'MemoriesFormed':
      return {
        ...state,
        stage: 'embedding',
        attempts: 0,
        memories: (data as DocumentPayloads['MemoriesFormed']).memories,
      };
    case 'UnitsEmbedded': {
      const { space } = data as DocumentPayloads['UnitsEmbedded'];
      // A document that is done stays done: its vectors came later, with the model.
      return { ...state, stage: state.stage === 'done' ? 'done' : 'indexing', attempts: 0, vectorSpace: space };
    }
    case 'DocumentIndexed':
      return { ...state, stage: 'done', attempts: 0 };
    case 'ProcessingFailed': {
      const { message, type: found = state.type } = data as DocumentPayloads['ProcessingFailed'];
      return {
        ...state,
        type: found,
        stage: 'failed',
        attempts: 0,
        error: { stage: envelope.stage ?? 'unknown', code: envelope.code ?? 'internal', message },
      };
    }
    case 'ProcessingRestarted':
      return { ...state, ...UNPROCESSED };
    default:
      return state;
  }
}

function renewed(state: Live, envelope: Happened['envelope']): Live {
  return {
    ...state,
    ...UNPROCESSED,
    contentVersion: envelope.contentVersion ?? state.contentVersion + 1,
    requests: [...state.requests, envelope.correlationId].slice(-REMEMBERED_REQUESTS),
  };
}
