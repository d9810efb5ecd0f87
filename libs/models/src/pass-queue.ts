/** Lets one pass at a time through a model. A pass for a question that waits for its answer goes before all others. */
export class PassQueue {
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #busy = false;

  async run<T>(isUrgent: boolean, pass: () => Promise<T>): Promise<T> {
    if (this.#busy) await new Promise<void>((resolve) => (isUrgent ? this.#urgent : this.#others).push(resolve));
    this.#busy = true;
    try {
      return await pass();
    } finally {
      const next = this.#urgent.shift() ?? this.#others.shift();
      // It stays busy for the next pass, so that a new one does not get in between.
      if (next === undefined) this.#busy = false;
      else next();
    }
  }
}
