/** Urgent passes after which another one that waits has its turn, so that documents go on while many questions are asked. */
const URGENT_IN_A_ROW = 4;

/** Lets one pass at a time through a model. A pass for a question that waits for its answer goes before most others. */
export class PassQueue {
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #busy = false;
  /** Since the last other one that had to wait. */
  #urgentInARow = 0;

  async run<T>(isUrgent: boolean, pass: () => Promise<T>): Promise<T> {
    if (this.#busy) await new Promise<void>((resolve) => (isUrgent ? this.#urgent : this.#others).push(resolve));
    this.#busy = true;
    try {
      return await pass();
    } finally {
      const next = this.#next();
      // It stays busy for the next pass, so that a new one does not get in between.
      if (next === undefined) this.#busy = false;
      else next();
    }
  }

  #next(): (() => void) | undefined {
    const isTurnOfOthers = this.#urgentInARow >= URGENT_IN_A_ROW && this.#others.length > 0;
    const urgent = isTurnOfOthers ? undefined : this.#urgent.shift();
    this.#urgentInARow = urgent === undefined ? 0 : this.#urgentInARow + 1;
    return urgent ?? this.#others.shift();
  }
}
