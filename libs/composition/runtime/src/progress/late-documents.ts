/** Documents whose units the views do not hold yet, and calls that wait for them. */
export class LateDocuments {
  readonly #late = new Set<string>();
  readonly #waiting = new Map<(isThere: boolean) => void, string | null>();

  /** @param key null: any document */
  has(key: string | null): boolean {
    return key === null ? this.#late.size > 0 : this.#late.has(key);
  }

  report(key: string, isLate: boolean): void {
    if (isLate) this.#late.add(key);
    else this.#late.delete(key);
    this.#release();
  }

  clear(): void {
    this.#late.clear();
    this.#release();
  }

  /** Resolves with false if the units did not arrive in time. @param key null: of all documents */
  wait(key: string | null, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (isThere: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve(isThere);
      };
      const timer = setTimeout(done, timeoutMs, false);
      this.#waiting.set(done, key);
    });
  }

  /** Ends all waits with false. */
  end(): void {
    for (const done of this.#waiting.keys()) done(false);
  }

  #release(): void {
    for (const [done, key] of this.#waiting) if (!this.has(key)) done(true);
  }
}
