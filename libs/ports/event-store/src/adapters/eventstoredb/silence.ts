/** Milliseconds between two calls of `tick`. */
export const TICK_MS = 500;
/** Ticks without a sign of the server, while an answer is awaited, before it is asked, and before it counts as frozen. */
const ASKED_AFTER = 4;
const FROZEN_AFTER = 8;
export const FROZEN_MS = FROZEN_AFTER * TICK_MS;

/**
 * Notices a server that has stopped answering while its connection lasts. Ticks are counted in place of milliseconds, because
 * a process that was busy or stopped itself has not read yet what has arrived.
 */
export class Silence {
  #awaited = 0;
  #ticks = 0;

  /** Returns a function to call when the answer is there, or is not awaited any more. */
  begin(): () => void {
    this.#awaited += 1;
    let isAwaited = true;
    return () => {
      if (isAwaited) this.#awaited -= 1;
      isAwaited = false;
    };
  }

  /** Something has arrived. */
  end(): void {
    this.#ticks = 0;
  }

  /** Call it every `TICK_MS`. `suspicious`: a short question would show whether the server takes long over an answer. */
  tick(): 'none' | 'suspicious' | 'frozen' {
    this.#ticks = this.#awaited === 0 ? 0 : this.#ticks + 1;
    if (this.#ticks < ASKED_AFTER) return 'none';
    if (this.#ticks < FROZEN_AFTER) return 'suspicious';
    this.#ticks = 0;
    return 'frozen';
  }
}
