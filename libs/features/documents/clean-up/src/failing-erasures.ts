import type { Checkpoint, FailingErasure } from '#features/documents';
import { withoutCredentials } from '#platform/kernel';
import type { Position } from '#ports/event-store';

type Event = Pick<FailingErasure, 'stream' | 'revision'>;

/** So many fit into one event of the log. */
const MAX_LISTED = 100;
/** Until the second attempt; doubled with each further failure. Milliseconds. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
const REASON_CHARACTERS = 120;
/** They take more bytes as JSON than any other character. */
const CONTROL_CHARACTERS = /\p{C}/gu;

interface Entry extends FailingErasure {
  readonly dueAt: number;
  /** The number of its last failure, counted over all erasures. 0: it failed in an earlier process. */
  readonly failure: number;
  /** A position from which the event is read. Undefined: the log lists it. */
  readonly before: Position | null | undefined;
}

/** Erasures that have failed, by event, in the order of the log. */
export class FailingErasures {
  readonly #failing = new Map<string, Entry>();
  /** Whether others fail than those in the log. The caller that records them sets it to false. */
  changed = false;
  #failures = 0;
  /** What failed up to this number is due at once, whatever its `dueAt`. */
  #dueUpTo = 0;

  /** @param listed in the log by an earlier process; each is due at once */
  constructor(listed: readonly FailingErasure[]) {
    for (const erasure of listed) {
      this.#failing.set(keyOf(erasure), { ...erasure, dueAt: 0, failure: 0, before: undefined });
    }
  }

  /** Returns those to be repeated now, the longest due first. */
  due(now: number): readonly FailingErasure[] {
    const failing = [...this.#failing.values()];
    const atOnce = failing.filter(({ failure }) => failure <= this.#dueUpTo);
    const later = failing.filter(({ failure, dueAt }) => failure > this.#dueUpTo && dueAt <= now);
    return [...atOnce, ...later.sort((a, b) => a.dueAt - b.dueAt)];
  }

  /**
   * Call it in the order of the log for those that fail for the first time.
   * @param before a position from which the event is read, if it fails for the first time
   * @returns it with the pause until the next attempt, in milliseconds
   */
  failed(
    { stream, revision }: Event,
    error: unknown,
    now: number,
    before?: Position | null,
  ): FailingErasure & { readonly pause: number } {
    const known = this.#failing.get(keyOf({ stream, revision }));
    const failures = (known?.failures ?? 0) + 1;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    const message = withoutCredentials(error instanceof Error ? error.message : String(error));
    const reason = message.replace(CONTROL_CHARACTERS, ' ').slice(0, REASON_CHARACTERS);
    const erasure = { stream, revision, failures, since: known?.since ?? now, reason };
    const place = known === undefined ? before : known.before;
    this.#failures += 1;
    this.#failing.set(keyOf(erasure), { ...erasure, dueAt: now + pause, failure: this.#failures, before: place });
    this.changed ||= known === undefined;
    return { ...erasure, pause };
  }

  /** @returns whether it had failed */
  done(event: Event): boolean {
    const hadFailed = this.#failing.delete(keyOf(event));
    this.changed ||= hadFailed;
    return hadFailed;
  }

  /** One that had failed is done, so what kept it may be over for the others. */
  makeDue(): void {
    this.#dueUpTo = this.#failures;
  }

  /**
   * Returns what to record. Of those that an event does not hold the log keeps only where the first one is: a later start
   * repeats the erasures from there.
   * @param after up to where the erasures are finished, except the failing ones
   */
  checkpoint(after: Position | null): Checkpoint {
    const all = [...this.#failing.values()];
    const first = all.findIndex(({ before }, i) => i >= MAX_LISTED && before !== undefined);
    const listed = first === -1 ? all : all.slice(0, first);
    const position = first === -1 ? after : (all[first]?.before ?? null);
    const failing = listed.map(({ stream, revision, failures, since, reason }) => {
      return { stream, revision, failures, since, reason };
    });
    return { position, failing, unlisted: all.length - listed.length };
  }
}

/** Names the event of an erasure. */
export const keyOf = ({ stream, revision }: Event): string => `${revision} ${stream}`;
