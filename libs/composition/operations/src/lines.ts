/** Turns the calls of a callback into an async iteration. */
export class Lines<T> {
  readonly #waiting: T[] = [];
  #wake: () => void = () => {};

  put(line: T): void {
    this.#waiting.push(line);
    this.#wake();
  }

  /** Yields every line until the work has ended. @throws errors of the work */
  async *until(work: Promise<unknown>): AsyncGenerator<T> {
    let ended = false;
    const settled = work.finally(() => {
      ended = true;
      this.#wake();
    });
    settled.catch(() => {});
    while (!ended || this.#waiting.length > 0) {
      const line = this.#waiting.shift();
      if (line !== undefined) yield line;
      else
        await new Promise<void>((wake) => {
          this.#wake = wake;
          if (ended) wake();
        });
    }
    await settled;
  }
}
