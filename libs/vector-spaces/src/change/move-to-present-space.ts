import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '#kernel';
import { KNOWN_SPACES, successorOf } from '#models';
import { spaceOfViews } from '../follow-spaces.ts';
import type { GroupEmbedder } from '../group-embedder.ts';
import type { GroupSpaces } from '../vector-spaces.ts';
import type { ChangeSources } from './change-sources.ts';
import { superseded } from './model-ready.ts';
import { namedIn } from './named-documents.ts';
import { releaseSpaces } from './release-spaces.ts';
import { SpaceChange } from './space-change.ts';

/** While the model is not ready, a change of the space is under way, or documents are being processed. Milliseconds. */
const POLL_MS = 1_000;
/** Pause after a fault. Milliseconds. */
const PAUSE_MS = 30_000;

export interface MoveOptions {
  readonly logger: { info(message: string): void; warn(message: string, cause?: unknown): void };
  readonly signal: AbortSignal;
  /** How often a space had been selected or abandoned when the process started: a later choice is not overruled by it. */
  readonly choicesAtStart: number;
}

/**
 * Replaces a serving space in which an earlier version of Mneme embedded by the present space of the same model: embeds every
 * document again beside it, then has the views of the new space serve, and removes the former vectors. What was made stays
 * when the signal aborts, and the next call continues, also with the removal. Does nothing while an operator builds another
 * space, or when one has abandoned the move, or selected the former space, since this process started.
 */
export async function moveToPresentSpace(
  sources: ChangeSources,
  embedder: GroupEmbedder,
  options: MoveOptions,
): Promise<void> {
  const { logger, signal } = options;
  while (!signal.aborted) {
    try {
      const found = await sources.spaces.load(embedder.group);
      const { serving, outgoing } = found;
      const space = isHeld(found, options) ? null : nextSpace(found);
      if (space === null && outgoing.length === 0) {
        if (isHeld(found, options))
          logger.info(`${serving} goes on serving until the next start, as an operator wants it`);
        return;
      }
      if (embedder.status().state === 'off') return;
      const searched = await spaceOfViews(sources.views.reader, embedder.group);
      // The two spaces have the same model, so what is ready for the one is there for the other.
      if (embedder.status().state !== 'ready' || searched !== serving) await waited(POLL_MS, signal);
      else if (space === null) await remove(sources, embedder, found, options);
      else await change(sources, embedder, { serving, space }, options);
    } catch (error) {
      if (signal.aborted) return;
      if (!hasCode(error, 'rebuild_running', 'views_missing')) {
        logger.warn(`The vector space is not replaced for now: ${String(error)}`, error);
      }
      await waited(PAUSE_MS, signal);
    }
  }
}

/** The space to change to. Null: the present one serves, or an operator builds another one. */
function nextSpace({ serving, coming }: GroupSpaces): string | null {
  const space = successorOf(serving);
  return coming === null || coming === space ? space : null;
}

/** Whether an operator has abandoned the change, or selected the former space, since this process started. */
const isHeld = ({ serving, coming, choices }: GroupSpaces, { choicesAtStart }: MoveOptions): boolean =>
  successorOf(serving) !== null && coming === null && choices > choicesAtStart;

async function change(
  sources: ChangeSources,
  embedder: GroupEmbedder,
  { serving, space }: { readonly serving: string; readonly space: string },
  { logger, signal }: MoveOptions,
): Promise<void> {
  const { group } = embedder;
  logger.info(`Documents are embedded in the vector space ${space}; ${serving} serves until then`);
  await sources.spaces.begin(group, space);
  const changing = new SpaceChange(sources, {
    ...{ group, space, searched: serving, replaces: serving, signal, onProgress: () => {} },
    embedder: embedder.modelOf(space),
    onSkipped: namedIn(logger, `is not embedded in ${space}`),
  });
  await changing.run();
  if (signal.aborted) return;
  const { vectors, skipped } = changing;
  logger.info(
    `${vectors} vectors were made in the vector space ${space}; documents that could not be embedded: ${skipped}`,
  );
}

/** Removes the vectors of the replaced spaces, and of no other, and records that. */
async function remove(
  sources: ChangeSources,
  embedder: GroupEmbedder,
  { serving, outgoing }: GroupSpaces,
  { logger, signal }: MoveOptions,
): Promise<void> {
  const { group } = embedder;
  const kept = async () => {
    const now = await sources.spaces.load(group);
    // An operator builds one of them again.
    if (now.serving !== serving || outgoing.some((space) => !now.outgoing.includes(space)))
      throw superseded(now.serving);
    return [...KNOWN_SPACES, serving, ...(now.coming === null ? [] : [now.coming])].filter(
      (space) => !outgoing.includes(space),
    );
  };
  const options = {
    ...{ group, space: serving, embedder: embedder.modelOf(serving), kept, signal },
    pollMs: POLL_MS,
    onProgress: () => {},
    onSkipped: namedIn(logger, `keeps its vectors of ${outgoing.join()}`),
  };
  await releaseSpaces(sources, options);
  if (signal.aborted) return;
  for (const space of outgoing) await sources.spaces.released(group, space);
  logger.info(`The vector space ${serving} serves; the vectors of ${outgoing.join()} are removed`);
}

const waited = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
