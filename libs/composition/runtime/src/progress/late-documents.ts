import { Waiters } from './waiters.ts';

/** Documents whose units the views do not hold yet, and calls that wait for one of them, or for all: null. */
export class LateDocuments extends Waiters<string | null> {
  readonly #late = new Set<string>();

  /** @param key null: any document */
  has(key: string | null): boolean {
    return key === null ? this.#late.size > 0 : this.#late.has(key);
  }

  report(key: string, isLate: boolean): void {
    if (isLate) this.#late.add(key);
    else this.#late.delete(key);
    this.release((awaited) => !this.has(awaited));
  }

  clear(): void {
    this.#late.clear();
    this.release(() => true);
  }
}
