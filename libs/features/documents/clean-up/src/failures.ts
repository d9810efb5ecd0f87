import { withoutCredentials } from '#platform/kernel';

/** What could not be removed, while the work on everything else went on. */
export class Failures {
  #count = 0;
  #first = '';
  #cause: unknown;

  get count(): number {
    return this.#count;
  }

  /** The first one, with its error. */
  get first(): string {
    return this.#first;
  }

  /** The error of the first one. */
  get cause(): unknown {
    return this.#cause;
  }

  /** @returns whether the work succeeded */
  async unless(name: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (this.#count === 0) {
        this.#first = `${name}: ${withoutCredentials(String(error))}`;
        this.#cause = error;
      }
      this.#count += 1;
      return false;
    }
  }
}
