import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '#platform/kernel';
import type { Secrets } from '#ports/secrets';

const AGAIN_MS = 60_000;
const SOON_MS = 300;

/** How many secrets no present master key opens, counted once a minute at most. */
export class ClosedSecrets {
  readonly #secrets: Pick<Secrets, 'list'>;
  readonly #clock: Clock;
  #count = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> = Promise.resolve();

  constructor(secrets: Pick<Secrets, 'list'>, clock: Clock) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** Within a moment; as it was known last while the store does not answer. */
  async count(): Promise<number> {
    const now = this.#clock.now();
    if (now - this.#countedAt >= AGAIN_MS) {
      this.#countedAt = now;
      this.#counting = this.#recount();
    }
    await Promise.race([this.#counting, pause(SOON_MS, undefined, { ref: false })]);
    return this.#count;
  }

  async #recount(): Promise<void> {
    const found = await this.#secrets.list(null).catch(() => null);
    if (found !== null) this.#count = found.filter(({ opens }) => !opens).length;
  }
}
