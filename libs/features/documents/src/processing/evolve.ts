import type { Recorded } from '#platform/kernel';
import type { DocumentEvent } from '../events.ts';
import type { Failed, Live, Ready } from '../state.ts';
import { UNCHANGED_STAGES } from './progress.ts';

/** What a new version of the content makes outdated. */
export const UNPROCESSED = {
  stage: 'queued',
  attempts: 0,
  failedFetches: 0,
  retry: null,
  recorded: [],
  error: null,
  extracted: null,
  extractedBorders: null,
  chunks: null,
  memories: null,
  vectorSpace: null,
  secondSpace: null,
  isSummarized: false,
} as const;

/** Results of work on one version of the content; void once that version is no longer the present one. */
type Outcome = Extract<
  Recorded<DocumentEvent>,
  {
    readonly type:
      | 'StageStarted'
      | 'StageAbandoned'
      | 'ContentExtracted'
      | 'PageUnchanged'
      | 'FetchDelayed'
      | 'ExtractionDeferred'
      | 'ContentChunked'
      | 'MemoriesFormed'
      | 'SummaryFormed'
      | 'UnitsEmbedded'
      | 'SecondSpaceEmbedded'
      | 'DocumentIndexed'
      | 'ProcessingFailed';
  }
>;

/** @param event of the present version */
export function processed(state: Live, event: Outcome): Live {
  switch (event.type) {
    case 'StageStarted':
      return started(state, event.stage, event.attempt);
    case 'StageAbandoned':
      return state.stage === event.stage ? { ...state, attempts: event.attempt - 1 } : state;
    case 'ContentExtracted': {
      const { text, title, type, date: contentDate = null, fetched = null, ...more } = event.payload;
      const { language = null, author = null, canonicalUrl = null, encoding = null, frontMatter = null } = more;
      const { sections = null, borders = null, reader = 0 } = more;
      const told = { contentDate, language, author, canonicalUrl, encoding, frontMatter, sections, reader };
      const details = { ...recording(state, event.stage), title, summary: null, type, ...told, error: null };
      return {
        ...details,
        stage: 'chunking',
        extracted: text ?? 'content',
        extractedBorders: borders,
        fetched,
        formerPage: null,
        // Recorded with the changes that the waiting texts make.
        waiting: [],
        chunks: null,
        memories: null,
        vectorSpace: null,
        secondSpace: null,
        isSummarized: false,
      };
    }
    case 'PageUnchanged': {
      const { formerPage } = state;
      if (formerPage === null) return state;
      const { fetched } = event.payload;
      const ready = { ...state, ...formerPage, fetched, formerPage: null, stage: 'done' as const, error: null };
      return { ...ready, attempts: 0, failedFetches: 0, recorded: UNCHANGED_STAGES };
    }
    case 'FetchDelayed': {
      const { attempt: failedFetches, code, sizes } = event;
      const retry = { code, message: event.payload.message, at: Date.parse(event.at) + (sizes?.pause ?? 0) };
      return { ...state, attempts: 0, failedFetches, retry };
    }
    case 'ExtractionDeferred':
      return state;
    case 'ContentChunked': {
      if (!isRead(state)) return state;
      const { chunks, unitKey } = event.payload;
      return { ...state, chunks, unitKey: state.unitKey ?? unitKey };
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
    case 'SummaryFormed':
      return { ...recording(state, event.stage), summary: event.payload.summary, isSummarized: true };
    case 'UnitsEmbedded': {
      if (!isFormed(state)) return state;
      // A document that is done stays done: its vectors came later, with the model.
      const stage = state.stage === 'done' ? 'done' : 'indexing';
      const { space } = event.payload;
      const secondSpace = state.secondSpace === space ? null : state.secondSpace;
      return { ...recording(state, event.stage), stage, vectorSpace: space, secondSpace, error: null };
    }
    case 'SecondSpaceEmbedded':
      return state.vectorSpace === null ? state : { ...state, secondSpace: event.payload.space };
    case 'DocumentIndexed':
      return isFormed(state) ? { ...recording(state, event.stage), stage: 'done', error: null } : state;
    case 'ProcessingFailed': {
      const { message, type = state.type, title = state.title, resource } = event.payload;
      const lacks = resource === undefined ? {} : { resource };
      const error = { stage: event.stage, code: event.code, message, ...lacks };
      return { ...state, type, title, stage: 'failed', attempts: 0, retry: null, error } as Failed;
    }
    default:
      return unchanged(state, event);
  }
}

/** An event that only a later version of the program knows changes nothing here. `never`: all that this one knows are handled. */
const unchanged = (state: Live, _event: never): Live => state;

/** A start counts only if what the stage needs is recorded. */
function started(state: Live, stage: string, attempts: number): Live {
  switch (stage) {
    case 'extracting':
      return { ...state, ...UNPROCESSED, failedFetches: state.failedFetches, stage, attempts };
    case 'chunking':
      return isRead(state)
        ? { ...state, stage, attempts, error: null, memories: null, vectorSpace: null, secondSpace: null }
        : state;
    case 'embedding':
    case 'indexing':
      return isFormed(state) ? { ...state, stage, attempts, error: null } : state;
    default:
      return state;
  }
}

/** A result of the stage is recorded. */
export function recording<S extends Live>(state: S, stage: string): S {
  const recorded = state.recorded.includes(stage) ? state.recorded : [...state.recorded, stage];
  return { ...state, recorded, attempts: 0 };
}

const isRead = (state: Live): state is Live & { readonly extracted: Ready['extracted'] } => state.extracted !== null;
const isChunked = (state: Live): state is Live & Pick<Ready, 'extracted' | 'chunks'> => state.chunks !== null;
const isFormed = (state: Live): state is Live & Pick<Ready, 'extracted' | 'chunks' | 'memories'> =>
  state.memories !== null;
