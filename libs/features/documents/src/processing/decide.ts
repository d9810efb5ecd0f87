import { err, ok, type Result } from '#platform/kernel';
import type {
  ChunkRef,
  ContentAppended,
  ContentChunked,
  ContentExtracted,
  ContentReplaced,
  DocumentEvent,
  DocumentIndexed,
  FetchDelayed,
  ListRef,
  MemoriesFormed,
  MemoryRef,
  PageUnchanged,
  ProcessingFailed,
  ProcessingRestarted,
  SummaryFormed,
  Validators,
} from '../events.ts';
import type { DocumentState, Live } from '../state.ts';
import { otherSummary, type Summary, summaryFormed } from './summary.ts';

/** The content has changed, the document is gone, or the result is recorded already: drop the result. */
export type Outdated = 'outdated';

/** Characters of a title that is taken from a text. */
const MAX_TITLE = 100;

/** Starts without an outcome after which a document fails. */
const MAX_ATTEMPTS = 3;

type Sizes = Readonly<Record<string, number>>;

/**
 * Records that work begins which could end the process.
 * @param stage status word of the stage
 * @param isRepeat the work failed by a transient error in the same process; its start is recorded, and counts once
 * @param hasProgressed part of the result was kept since the last start, so the starts before do not count
 */
export function decideStart(
  state: DocumentState,
  version: number,
  stage: string,
  { isRepeat = false, hasProgressed = false } = {},
): Result<readonly DocumentEvent[], Outdated> {
  const live = present(state, version);
  if (live === null) return err('outdated');
  // A backfill is not a stage of the document.
  if (live.stage === 'done') return ok([]);
  // A message can arrive twice, or after the stage ended; it must not take the document back.
  if (live.stage === 'failed' || live.recorded.includes(stage)) return err('outdated');
  const attempts = live.stage === stage && !hasProgressed ? live.attempts : 0;
  if (isRepeat && attempts > 0) return ok([]);
  if (attempts >= MAX_ATTEMPTS) {
    const message = `The stage ${stage} was started ${attempts} times and never came to an end`;
    return ok(failure(live, stage, { code: 'stage_crashed', message }));
  }
  return ok([{ type: 'StageStarted', contentVersion: version, stage, attempt: attempts + 1, payload: null }]);
}

/**
 * Records that a stage was abandoned because its process stops: the start does not count.
 * @param stage status word of the stage
 */
export function decideAbandoned(
  state: DocumentState,
  version: number,
  stage: string,
): Result<readonly DocumentEvent[], Outdated> {
  const live = present(state, version);
  if (live === null) return err('outdated');
  // A backfill has no start, and of a stage that came to an end none counts any more.
  if (live.stage !== stage || live.attempts === 0) return ok([]);
  return ok([{ type: 'StageAbandoned', contentVersion: version, stage, attempt: live.attempts, payload: null }]);
}

/** What the texts that wait for the extracted text change. */
export interface WaitingChanges {
  /** Texts that were compared. */
  readonly compared: number;
  readonly events: readonly (ContentAppended | ContentReplaced)[];
}

const NONE_WAITED: WaitingChanges = { compared: 0, events: [] };

/**
 * @param pieces if they were formed with the text: all is recorded in one append
 * @param waited of the texts that waited; outdated if others have come since
 */
export function decideExtracted(
  state: DocumentState,
  version: number,
  extracted: ContentExtracted['payload'],
  sizes: Sizes,
  pieces?: Pieces,
  waited: WaitingChanges = NONE_WAITED,
): Result<readonly DocumentEvent[], Outdated> {
  const live = present(state, version);
  if (live === null || live.stage === 'failed' || live.extracted !== null) return err('outdated');
  if (live.waiting.length !== waited.compared) return err('outdated');
  if (pieces !== undefined && hasOtherKey(live, pieces)) return err('outdated');
  const event = { type: 'ContentExtracted', contentVersion: version, stage: 'extracting', sizes } as const;
  // With a change that waited, a new version of the content begins.
  const isSummarized = waited.events.length === 0;
  const formed = pieces === undefined ? [] : piecesFormed(version, isSummarized ? pieces : withoutSummary(pieces));
  return ok([{ ...event, payload: extracted }, ...formed, ...waited.events]);
}

/** The page is the same as before: what was formed of it stays, and no further stage runs. */
export function decideUnchanged(
  state: DocumentState,
  version: number,
  fetched: Validators,
): Result<readonly [PageUnchanged], Outdated> {
  const live = present(state, version);
  if (live === null || live.formerPage === null || live.stage === 'failed' || live.waiting.length > 0) {
    return err('outdated');
  }
  return ok([{ type: 'PageUnchanged', contentVersion: version, payload: { fetched } }]);
}

/** @param pause milliseconds until the next try */
export function decideDelayed(
  state: DocumentState,
  version: number,
  pause: number,
  { code, message }: Pick<FailureReason, 'code' | 'message'>,
): Result<readonly [FetchDelayed], Outdated> {
  const live = present(state, version);
  if (live === null || live.extracted !== null || live.stage === 'failed') return err('outdated');
  const attempt = live.failedFetches + 1;
  return ok([{ type: 'FetchDelayed', contentVersion: version, attempt, code, sizes: { pause }, payload: { message } }]);
}

/**
 * Records that the text is read in another queue of its stage, because that takes long.
 * @param queue name of the queue
 * @param start the run has recorded its start, which then does not count
 */
export function decideDeferred(
  state: DocumentState,
  version: number,
  queue: string,
  start: boolean,
): Result<readonly DocumentEvent[], Outdated> {
  const live = present(state, version);
  if (live === null || live.extracted !== null || live.stage === 'failed') return err('outdated');
  const abandoned = start ? decideAbandoned(state, version, 'extracting') : ok([]);
  if (!abandoned.ok) return abandoned;
  return ok([...abandoned.value, { type: 'ExtractionDeferred', contentVersion: version, code: queue, payload: null }]);
}

export interface Pieces {
  readonly chunks: ListRef<ChunkRef>;
  readonly memories: ListRef<MemoryRef>;
  /** Key of their ids. */
  readonly unitKey: string;
  readonly sizes: Sizes;
  /** Absent: it is formed later. */
  readonly summary?: Summary;
}

const withoutSummary = ({ summary: _, ...pieces }: Pieces): Pieces => pieces;

/** Chunks and memories are recorded in one append: both are units to embed. */
function piecesFormed(version: number, pieces: Pieces): readonly (ContentChunked | MemoriesFormed | SummaryFormed)[] {
  const { chunks, memories, unitKey, sizes, summary } = pieces;
  return [
    { type: 'ContentChunked', contentVersion: version, stage: 'chunking', payload: { chunks, unitKey } },
    { type: 'MemoriesFormed', contentVersion: version, stage: 'chunking', sizes, payload: { memories } },
    ...(summary === undefined ? [] : [summaryFormed(version, summary)]),
  ];
}

export function decideChunked(
  state: DocumentState,
  version: number,
  pieces: Pieces,
): Result<readonly DocumentEvent[], Outdated> {
  const live = present(state, version);
  if (live === null || live.stage !== 'chunking' || hasOtherKey(live, pieces)) return err('outdated');
  return ok(piecesFormed(version, pieces));
}

/**
 * @param embedded.renewed vectors had to be made although the document has them: the cache had lost them
 * @param embedded.summary by these vectors. Absent: none was formed
 */
export function decideEmbedded(
  state: DocumentState,
  version: number,
  space: string,
  embedded: { readonly renewed: boolean; readonly sizes: Sizes; readonly summary?: Summary },
): Result<readonly DocumentEvent[], Outdated> {
  const live = present(state, version);
  if (live === null || live.memories === null || live.stage === 'failed') return err('outdated');
  if (live.vectorSpace === space && !embedded.renewed) return err('outdated');
  const { sizes, summary } = embedded;
  const event = {
    type: 'UnitsEmbedded',
    contentVersion: version,
    stage: 'embedding',
    sizes,
    payload: { space },
  } as const;
  return ok([event, ...otherSummary(live, summary)]);
}

export function decideIndexed(state: DocumentState, version: number): Result<readonly DocumentEvent[], Outdated> {
  const live = present(state, version);
  if (live === null || (live.stage !== 'embedding' && live.stage !== 'indexing')) return err('outdated');
  return ok([indexed(version)]);
}

/** For a version whose units are formed and, if there is a model, embedded, once searches find it. */
export function indexed(version: number): DocumentIndexed {
  return { type: 'DocumentIndexed', contentVersion: version, stage: 'indexing', payload: null };
}

export interface FailureReason {
  readonly code: string;
  readonly message: string;
  /** The detected type of the document, if that much is known. */
  readonly type?: string;
  /** Of a document that has none yet. */
  readonly title?: string;
  /** The weights or the program that the machine lacks. */
  readonly resource?: string;
}

export function decideFailure(
  state: DocumentState,
  version: number,
  stage: string,
  reason: FailureReason,
): Result<readonly DocumentEvent[], Outdated> {
  const live = present(state, version);
  if (live === null || live.stage === 'done' || live.stage === 'failed') return err('outdated');
  return ok(failure(live, stage, reason));
}

/** The content of a version is lost: a document that was done fails too. */
export function decideLoss(
  state: DocumentState,
  version: number,
  reason: FailureReason,
): Result<readonly DocumentEvent[], Outdated> {
  const live = present(state, version);
  if (live === null || live.stage === 'failed') return err('outdated');
  return ok(failure(live, 'indexing', reason));
}

/** Has a failed document processed once more, from its first stage on. */
export function decideRestart(
  state: DocumentState,
): Result<readonly [ProcessingRestarted], 'not_found' | 'not_failed'> {
  if (state.status !== 'live') return err('not_found');
  if (state.stage !== 'failed') return err('not_failed');
  const { contentVersion, memory } = state;
  // Of a memory, only what follows after this stage is done again.
  const from = memory === null ? {} : { stage: 'chunking' };
  return ok([{ type: 'ProcessingRestarted', contentVersion, ...from, payload: null }]);
}

/** Restarts a document that failed because the machine lacked this resource. */
export function decideResupplied(
  state: DocumentState,
  resource: string,
): Result<readonly [ProcessingRestarted], 'not_found' | 'not_failed'> {
  if (state.status === 'live' && state.error?.resource !== resource) return err('not_failed');
  return decideRestart(state);
}

/** Where a file cannot be read, a text that waits becomes the content, and is processed. */
function failure(live: Live, stage: string, reason: FailureReason): readonly DocumentEvent[] {
  const { contentVersion, extracted, waiting } = live;
  const title = live.title === null ? titleOfUnread(live) : null;
  const event = failed(contentVersion, stage, title === null ? reason : { ...reason, title });
  const [first] = waiting;
  if (extracted !== null || first === undefined) return [event];
  const payload = { content: { text: first.text }, keepsFile: true } as const;
  return [event, { type: 'ContentReplaced', contentVersion: contentVersion + 1, payload }];
}

export function failed(version: number, stage: string, { code, ...payload }: FailureReason): ProcessingFailed {
  return { type: 'ProcessingFailed', contentVersion: version, stage, code, payload };
}

/** The title of a document that was never read: the name of its file, or the first line of a short text. */
function titleOfUnread({ content }: Live): string | null {
  if ('file' in content) return content.file.name;
  if ('page' in content) return content.page.trim().slice(0, MAX_TITLE);
  const [first] = content.parts;
  if (first === undefined || !('inline' in first)) return null;
  const [line = ''] = first.inline.trim().split('\n', 1);
  return [...line.slice(0, 2 * MAX_TITLE)].slice(0, MAX_TITLE).join('').trim() || null;
}

/** Another process has recorded a key since these pieces got their ids. */
const hasOtherKey = (live: Live, { unitKey }: Pieces): boolean => live.unitKey !== null && live.unitKey !== unitKey;

function present(state: DocumentState, version: number): Live | null {
  return state.status === 'live' && state.contentVersion === version ? state : null;
}
