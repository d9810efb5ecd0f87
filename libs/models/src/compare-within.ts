import { setTimeout as delay } from 'node:timers/promises';
import type { PassageProcess } from './passage-process.ts';

export interface Compared {
  /** Of each text. Null: there was no time, or the process failed. */
  readonly scores: readonly (number | null)[];
  /** Why the rest was not compared. Null: there was no time, or there is no rest. */
  readonly error: Error | null;
}

/**
 * Compares a question with texts in a process, as far as there is time.
 * @param question as the process asks for it
 * @param withinMs the answer is there at the latest then
 */
export async function compareWithin(
  process: PassageProcess,
  question: Promise<Float32Array | string>,
  texts: readonly string[],
  withinMs: number,
): Promise<Compared> {
  const expiresAt = Date.now() + withinMs;
  const scores = new Array<number | null>(texts.length).fill(null);
  const comparing = question
    .then((value) =>
      process.compare({ question: value, texts, expiresAt }, (text, score) => {
        scores[text] = score;
      }),
    )
    .then(
      () => null,
      (error: Error) => error,
    );
  const inTime = new AbortController();
  const late = delay(withinMs, null, { signal: inTime.signal }).catch(() => null);
  const error = await Promise.race([comparing, late]);
  inTime.abort();
  // Copied, because scores may still arrive.
  return { scores: [...scores], error };
}
