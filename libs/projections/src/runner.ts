import { setTimeout as pause } from 'node:timers/promises';
import type { EventStore, Position } from '#event-store';
import type { ViewsWriter } from '#views';
import type { Projector } from './projector.ts';

export interface ProjectionOptions {
  readonly store: EventStore;
  readonly writer: ViewsWriter;
  readonly projector: Projector;
  readonly signal: AbortSignal;
  /** Told after each batch: how far the views are, and how many events it was. */
  readonly onProgress: (position: Position, events: number) => void;
  /** Told when a batch could not be applied; it is tried again. */
  readonly onFault: (error: unknown) => void;
}

const BATCH = 2_048;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** Keeps the views up with the log: from their checkpoint on, until the signal aborts. The only writer of views. */
export async function runProjection(options: ProjectionOptions): Promise<void> {
  const { store, writer, projector, signal } = options;
  const after = await writer.checkpoint();
  for await (const { events, position } of store.subscribe({ after, signal, batch: BATCH })) {
    if (position === null) continue;
    for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      try {
        await writer.apply(await projector.changesOf(events), position);
        options.onProgress(position, events.length);
        break;
      } catch (error) {
        options.onFault(error);
        await pause(wait, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
