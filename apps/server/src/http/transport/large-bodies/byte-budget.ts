interface WaitingRequest {
  readonly bytes: number;
  readonly begin: () => void;
}

/** Limits how many bytes are in use at once. Callers wait in the order of their requests. */
export class ByteBudget {
  readonly #total: number;
  readonly #waiting: WaitingRequest[] = [];
  #used = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** Waits for the bytes, and returns the function that gives them back. @param bytes at most the total is asked for */
  take(bytes: number): Promise<() => void> {
    return new Promise((resolve) => {
      const taken = Math.min(bytes, this.#total);
      const release = (): void => {
        this.#used -= taken;
        this.#admit();
      };
      this.#waiting.push({ bytes: taken, begin: () => resolve(release) });
      this.#admit();
    });
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#used + next.bytes > this.#total) return;
      this.#waiting.shift();
      this.#used += next.bytes;
      next.begin();
    }
  }
}
