import { withoutCredentials } from '#kernel';
import type { FailingErasure } from './events.ts';

type Event = Pick<FailingErasure, 'stream' | 'revision'>;

/** So many of them are kept aside: if there are more, a store has failed, and those behind them are left to later. */
const MAX_FAILING = 100;
/** Until the second attempt; doubled with each further failure. Milliseconds. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
const REASON_CHARACTERS = 120;

/** Erasures that have failed, by event. */
export class FailingErasures {
  readonly #failing = new Map<string, FailingErasure & { dueAt: number }>();
  /** Whether they differ from those in the log. The caller that records them sets it to false. */
  changed = false;

  /** @param known from an earlier process; each is due at once */
  constructor(known: readonly FailingErasure[]) {
    for (const erasure of known) this.#failing.set(keyOf(erasure), { ...erasure, dueAt: Number.NEGATIVE_INFINITY });
  }

  get all(): readonly FailingErasure[] {
    return [...this.#failing.values()].map(({ dueAt: _, ...erasure }) => erasure);
  }

  /** Whether there is space for it. */
  takes(event: Event): boolean {
    return this.#failing.size < MAX_FAILING || this.#failing.has(keyOf(event));
  }

  /** Returns those to be repeated now, the longest due first. */
  due(now: number): readonly FailingErasure[] {
    return [...this.#failing.values()].filter(({ dueAt }) => dueAt <= now).sort((a, b) => a.dueAt - b.dueAt);
  }

  /** Returns it with the pause until the next attempt, in milliseconds. */
  failed({ stream, revision }: Event, error: unknown, now: number): FailingErasure & { readonly pause: number } {
    const known = this.#failing.get(keyOf({ stream, revision }));
    const failures = (known?.failures ?? 0) + 1;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    const reason = withoutCredentials(error instanceof Error ? error.message : String(error));
    const erasure = {
      stream,
      revision,
      failures,
      since: known?.since ?? now,
      reason: reason.slice(0, REASON_CHARACTERS),
    };
    this.#failing.set(keyOf(erasure), { ...erasure, dueAt: now + pause });
    this.changed = true;
    return { ...erasure, pause };
  }

  /** One that had failed is done, so what kept it is over: the others are due at once. */
  done(event: Event): void {
    if (!this.#failing.delete(keyOf(event))) return;
    this.changed = true;
    for (const erasure of this.#failing.values()) erasure.dueAt = Number.NEGATIVE_INFINITY;
  }
}

/** Names the event of an erasure. */
export const keyOf = ({ stream, revision }: Event): string => `${revision} ${stream}`;
