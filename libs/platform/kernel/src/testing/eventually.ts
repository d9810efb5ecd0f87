import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';

const WITHIN_MS = 120_000;
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;
/** `until` looks this often in consecutive turns of the event loop before it pauses. */
const TURNS = 50;

/**
 * Calls `ask` until it resolves to a value other than null. The pauses grow with the wait and with what a call takes, because
 * calls take processor time from what they wait for.
 * @throws Error if that takes longer than `withinMs`. Default: 120000.
 */
export const eventually = <T>(ask: () => Promise<T | null>, withinMs = WITHIN_MS): Promise<T> =>
  answerOf(ask, withinMs, LONGEST_PAUSE_MS);

/** Like `eventually`, for a state that soon passes: the pauses stay short. */
export const whileItLasts = <T>(ask: () => Promise<T | null>, withinMs = WITHIN_MS): Promise<T> =>
  answerOf(ask, withinMs, SHORTEST_PAUSE_MS);

/**
 * Calls `read`, which is cheap, until what it returns fulfils a condition. Default: is truthy.
 * @throws Error with what was last read if that takes longer than `withinMs`. Default: 120000.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  condition: (value: T) => boolean = Boolean,
  withinMs = WITHIN_MS,
): Promise<T> {
  const start = performance.now();
  for (let calls = 1; ; calls += 1) {
    const value = await read();
    if (condition(value)) return value;
    if (performance.now() - start > withinMs) {
      const wanted = condition === Boolean ? '' : ` with ${source(condition)}`;
      throw new Error(`Not within ${withinMs} ms: ${source(read)}${wanted}. Last value: ${inspect(value)}`);
    }
    await (calls < TURNS ? turn() : pause(SHORTEST_PAUSE_MS));
  }
}

async function answerOf<T>(ask: () => Promise<T | null>, withinMs: number, longestPauseMs: number): Promise<T> {
  const start = performance.now();
  for (;;) {
    const asked = performance.now();
    const answer = await ask();
    if (answer !== null) return answer;
    const now = performance.now();
    if (now - start > withinMs) throw new Error(`No value within ${withinMs} ms: ${source(ask)}`);
    await pause(Math.min(longestPauseMs, Math.max(SHORTEST_PAUSE_MS, 2 * (now - asked), (now - start) / 20)));
  }
}

/** Returns the code of a function in one line, which tells what a test waited for. */
const source = (code: (...args: never[]) => unknown): string => String(code).replaceAll(/\s+/g, ' ');
