import { setTimeout as pause } from 'node:timers/promises';

const AGAIN_MS = 500;

/** Returns descriptions of what is wrong now; empty if nothing is. */
type Check = () => Promise<readonly string[]>;

/** Repeats a check until nothing is wrong. Returns what is still wrong after this time. */
export async function lastingDifferences(check: Check, patienceMs: number): Promise<readonly string[]> {
  for (const end = Date.now() + patienceMs; ; await pause(AGAIN_MS)) {
    const wrong = await check().catch((error: unknown) => [`the check failed: ${String(error)}`]);
    if (wrong.length === 0 || Date.now() > end) return wrong;
  }
}
