import { setTimeout as pause } from 'node:timers/promises';

/** How long what another process has done is waited for, and how often it is looked for. Milliseconds. */
const WAIT_MS = 1_000;
const LOOK_MS = 25;

/** Looks for what another process may have recorded a moment ago, of which this one hears within a second. Null: it has not. */
export async function heardOf<T>(look: () => T | null): Promise<T | null> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const found = look();
    if (found !== null || performance.now() >= until) return found;
    await pause(LOOK_MS);
  }
}
