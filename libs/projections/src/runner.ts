import { setTimeout as pause } from 'node:timers/promises';
import type { EventStore, Position, RecordedEvent } from '#event-store';
import type { DocumentChange, ViewsWriter } from '#views';
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

const BATCH = 4_096;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** Keeps the views up with the log: from their checkpoint on, until the signal aborts. The only writer of views. */
export async function runProjection(options: ProjectionOptions): Promise<void> {
  const { store, writer, projector, signal } = options;
  const after = await catchUp(options, await writer.checkpoint());
  for await (const { events, position } of store.subscribe({ after, signal, batch: BATCH })) {
    await apply(options, events, position, () => projector.changesOf(events));
  }
}

/** Brings the views to where the log ended when this began. */
async function catchUp(options: ProjectionOptions, checkpoint: Position | null): Promise<Position | null> {
  const { store, projector, signal } = options;
  const head = await store.head();
  let after = checkpoint;
  while (!signal.aborted && head !== null && (after === null || store.compare(after, head) < 0)) {
    const { events, position } = await store.readAll({ after, limit: BATCH, envelopesOnly: true });
    await apply(options, events, position, () => projector.latestOf(events));
    after = position;
  }
  return after;
}

/** Writes a batch, and tries again for as long as it takes. */
async function apply(
  { writer, signal, onProgress, onFault }: ProjectionOptions,
  events: readonly RecordedEvent[],
  position: Position | null,
  changes: () => Promise<readonly DocumentChange[]>,
): Promise<void> {
  if (position === null) return;
  for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      await writer.apply(await changes(), position);
      onProgress(position, events.length);
      return;
    } catch (error) {
      onFault(error);
      await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}
