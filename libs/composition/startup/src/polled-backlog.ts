import type { Clock } from '#platform/kernel';
import type { ViewsReader } from '#read-side/views';

const LOOK_EVERY_MS = 1_000;

/** The backlog of other processes according to the views, counted at most once a second and only when asked. */
export class PolledBacklog {
  readonly #views: Pick<ViewsReader, 'countUnfinished'>;
  readonly #maximum: number;
  readonly #clock: Clock;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #waiting = 0;

  constructor(views: Pick<ViewsReader, 'countUnfinished'>, maximum: number, clock: Clock) {
    this.#views = views;
    this.#maximum = maximum;
    this.#clock = clock;
  }

  /**
   * Whether so much waits that adds are refused for a while, by the last count; starts another count.
   * @param adding documents of the request
   */
  full(adding = 1): boolean {
    const now = this.#clock.now();
    if (now - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = now;
      void this.#count();
    }
    return this.#waiting + adding > this.#maximum;
  }

  async #count(): Promise<void> {
    try {
      this.#waiting = await this.#views.countUnfinished();
    } catch {
      // Unreachable views refuse no adds: the log can store the documents.
    }
  }
}
