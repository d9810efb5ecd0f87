import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '#kernel';
import { successorOf } from '#models';
import { spaceOfViews } from '../follow-spaces.ts';
import type { GroupEmbedder } from '../group-embedder.ts';
import { type ChangeSources, SpaceChange } from './space-change.ts';

/** While the model is not ready, or a change of the space is under way. Milliseconds. */
const POLL_MS = 1_000;
/** Pause after a fault. Milliseconds. */
const PAUSE_MS = 30_000;

export interface MoveOptions {
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly signal: AbortSignal;
}

/**
 * Replaces a serving space in which an earlier version of Mneme embedded by the present space of the same model: embeds every
 * document again beside it, then has the views of the new space serve, and removes the former vectors. What was made stays
 * when the signal aborts, and the next call continues. Does nothing while an operator builds another space.
 */
export async function moveToPresentSpace(
  sources: ChangeSources,
  embedder: GroupEmbedder,
  { logger, signal }: MoveOptions,
): Promise<void> {
  const { group } = embedder;
  const { spaces, views } = sources;
  while (!signal.aborted) {
    try {
      const { serving, coming } = await spaces.load(group);
      const space = successorOf(serving);
      if (space === null || (coming !== null && coming !== space) || embedder.status().state === 'off') return;
      const searched = await spaceOfViews(views.reader, group);
      // The two spaces have the same model, so what is ready for the one is there for the other.
      if (embedder.status().state !== 'ready' || searched !== serving) {
        await waited(POLL_MS, signal);
        continue;
      }
      logger.info(`Documents are embedded in the vector space ${space}; ${serving} serves until then`);
      await spaces.begin(group, space);
      const change = new SpaceChange(sources, {
        ...{ group, space, searched, signal, onProgress: () => {} },
        embedder: embedder.modelOf(space),
      });
      await change.run();
      if (signal.aborted) return;
      logger.info(`The vector space ${space} serves; ${change.vectors} vectors were made`);
      await change.releaseOthers();
    } catch (error) {
      if (signal.aborted) return;
      if (!hasCode(error, 'rebuild_running', 'views_missing')) {
        logger.warn(`The vector space is not replaced for now: ${String(error)}`);
      }
      await waited(PAUSE_MS, signal);
    }
  }
}

const waited = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
