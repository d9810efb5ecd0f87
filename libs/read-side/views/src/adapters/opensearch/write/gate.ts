/** Lets many use something together, or one alone. Who comes after one that wants it alone waits for that one. */
export class Gate {
  readonly #together = new Set<Promise<unknown>>();
  #alone: Promise<unknown> = Promise.resolve();

  async together<T>(work: () => Promise<T>): Promise<T> {
    for (let last: unknown; last !== this.#alone; ) {
      last = this.#alone;
      await this.#alone;
    }
    const running = work();
    const settled = running.catch(() => undefined);
    this.#together.add(settled);
    await settled;
    this.#together.delete(settled);
    return running;
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#alone.then(() => Promise.all(this.#together)).then(work);
    this.#alone = running.catch(() => undefined);
    return running;
  }
}
