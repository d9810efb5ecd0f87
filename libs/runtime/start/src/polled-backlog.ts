import type { Clock } from '#kernel';
import type { ViewsReader } from '#views';

const LOOK_EVERY_MS = 1_000;

/** How much waits to be processed by other processes, as the views show it: counted at most once a second, when asked. */
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

  /** True when so much waits that adds are refused for a while; by the last count, which is renewed behind the answer. */
  full(): boolean {
    const now = this.#clock.now();
    if (now - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = now;
      void this.#count();
    }
    return this.#waiting >= this.#maximum;
  }

  async #count(): Promise<void> {
    try {
      this.#waiting = await this.#views.countUnfinished();
    } catch {
      // Views that cannot be asked hold nobody up: what counts is that the log takes the document.
    }
  }
}
