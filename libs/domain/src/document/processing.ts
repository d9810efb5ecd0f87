import { err, ok, type Result } from '#kernel';
import type { Decided } from '../happened.ts';
import type { DocumentStage, DocumentState, Live } from './document.ts';
import type { ChunkRef, DocumentPayloads, ListRef, MemoryRef } from './events.ts';

/** A piece of work on one version of a document's content. */
export type Work = 'extract' | 'chunk' | 'embed' | 'index';

/**
 * `outdated`: the content has changed, the document is gone, or the step has been taken; drop the result.
 */
export type Outdated = 'outdated';

/** Starts without an outcome after which a document is given up. */
export const MAX_ATTEMPTS = 3;

/** The stage that a piece of work belongs to. */
export const STAGE_OF: Readonly<Record<Work, DocumentStage>> = {
  extract: 'extracting',
  chunk: 'chunking',
  embed: 'embedding',
  index: 'indexing',
};

/** In the order in which a document goes through them. */
const STAGES: readonly DocumentStage[] = [
  'queued',
  'extracting',
  'chunking',
  'embedding',
  'indexing',
  'done',
  'failed',
];

/** What is to be done next. Null: nothing, or nothing any more. */
export function nextWork(state: DocumentState, model: { readonly ready: boolean }): Work | null {
  if (state.status !== 'live') return null;
  switch (state.stage) {
    case 'queued':
    case 'extracting':
      return 'extract';
    case 'chunking':
      return 'chunk';
    case 'embedding':
      return model.ready ? 'embed' : 'index';
    case 'indexing':
      return 'index';
    case 'done':
    case 'failed':
      return null;
  }
}

/**
 * Records that work begins which could end the process. A repeat of a start whose work failed by a transient error in the
 * same process records nothing, so that it uses up no attempt.
 */
export function decideStart(
  state: DocumentState,
  version: number,
  work: Work,
  isRepeat = false,
): Result<readonly Decided[], Outdated> {
  const live = present(state, version);
  if (live === null) return err('outdated');
  // Vectors for a document that is done already are no stage of it.
  if (live.stage === 'done') return ok([]);
  const stage = STAGE_OF[work];
  // Work that was sent twice, or on the way while the stage came to its end, must not take the document back.
  if (STAGES.indexOf(live.stage) > STAGES.indexOf(stage)) return err('outdated');
  const attempts = live.stage === stage ? live.attempts : 0;
  if (isRepeat && attempts > 0) return ok([]);
  if (attempts >= MAX_ATTEMPTS) {
    return decideFailure(state, version, stage, {
      code: 'stage_crashed',
      message: `The stage ${stage} was started ${attempts} times and never came to an end`,
    });
  }
  return ok([{ type: 'StageStarted', contentVersion: version, stage, attempt: attempts + 1, payload: null }]);
}

export function decideExtracted(
  state: DocumentState,
  version: number,
  extracted: DocumentPayloads['ContentExtracted'],
  sizes: Readonly<Record<string, number>>,
): Result<readonly Decided[], Outdated> {
  const live = present(state, version);
  if (live === null || !['queued', 'extracting'].includes(live.stage)) return err('outdated');
  return ok([{ type: 'ContentExtracted', contentVersion: version, stage: 'extracting', sizes, payload: extracted }]);
}

export interface Pieces {
  readonly chunks: ListRef<ChunkRef>;
  readonly memories: ListRef<MemoryRef>;
  readonly sizes: Readonly<Record<string, number>>;
}

/** Chunks and memories are recorded in one append: both are units to embed. */
export function piecesFormed(version: number, pieces: Pieces): readonly Decided[] {
  const { chunks, memories, sizes } = pieces;
  return [
    { type: 'ContentChunked', contentVersion: version, stage: 'chunking', payload: { chunks } },
    { type: 'MemoriesFormed', contentVersion: version, stage: 'chunking', sizes, payload: { memories } },
  ];
}

export function decideChunked(
  state: DocumentState,
  version: number,
  pieces: Pieces,
): Result<readonly Decided[], Outdated> {
  const live = present(state, version);
  if (live === null || live.stage !== 'chunking') return err('outdated');
  return ok(piecesFormed(version, pieces));
}

export function decideEmbedded(
  state: DocumentState,
  version: number,
  space: string,
  embedded: { readonly renewed: boolean; readonly sizes: Readonly<Record<string, number>> },
): Result<readonly Decided[], Outdated> {
  const live = present(state, version);
  if (live === null || live.memories === null || live.stage === 'failed') return err('outdated');
  // Made again: the cache had lost them, and the index is to get them back.
  if (live.vectorSpace === space && !embedded.renewed) return err('outdated');
  const { sizes } = embedded;
  return ok([{ type: 'UnitsEmbedded', contentVersion: version, stage: 'embedding', sizes, payload: { space } }]);
}

export function decideIndexed(state: DocumentState, version: number): Result<readonly Decided[], Outdated> {
  const live = present(state, version);
  if (live === null || !['embedding', 'indexing'].includes(live.stage)) return err('outdated');
  return ok(indexed(version));
}

/** What follows from a version whose units are formed, and have vectors where there is a model, once searches find it. */
export function indexed(version: number): readonly Decided[] {
  return [{ type: 'DocumentIndexed', contentVersion: version, stage: 'indexing', payload: null }];
}

export function decideFailure(
  state: DocumentState,
  version: number,
  stage: string,
  failure: { readonly code: string; readonly message: string; readonly type?: string },
): Result<readonly Decided[], Outdated> {
  const live = present(state, version);
  if (live === null || live.stage === 'done' || live.stage === 'failed') return err('outdated');
  return ok(gaveUp(version, stage, failure));
}

/** What a version consists of is not there any more: also one that was done before ends as failed. */
export function decideLoss(
  state: DocumentState,
  version: number,
  failure: { readonly code: string; readonly message: string },
): Result<readonly Decided[], Outdated> {
  const live = present(state, version);
  if (live === null || live.stage === 'failed') return err('outdated');
  return ok(gaveUp(version, 'indexing', failure));
}

export function gaveUp(
  version: number,
  stage: string,
  { code, ...payload }: { readonly code: string; readonly message: string; readonly type?: string },
): readonly Decided[] {
  return [{ type: 'ProcessingFailed', contentVersion: version, stage, code, payload }];
}

function present(state: DocumentState, version: number): Live | null {
  return state.status === 'live' && state.contentVersion === version ? state : null;
}
