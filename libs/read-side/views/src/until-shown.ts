import type { Position } from '#ports/event-store';
import type { ViewsProgress } from './port.ts';

/** How long the end of the process may have to wait for views that are behind. Milliseconds. */
const LOOK_MS = 1_000;

/** Resolves when the views show everything up to a position, however long that takes. @throws the reason of the signal */
export async function untilShown(
  progress: ViewsProgress,
  position: Position | null,
  signal: AbortSignal,
): Promise<void> {
  while (!(await progress.reached(position, LOOK_MS))) signal.throwIfAborted();
}
