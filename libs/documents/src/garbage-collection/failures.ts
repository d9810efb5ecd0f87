import { withoutCredentials } from '#kernel';

/** What could not be removed, while the work on everything else went on. */
export class Failures {
  #count = 0;
  #first = '';

  get count(): number {
    return this.#count;
  }

  /** The first one, with its error. */
  get first(): string {
    return this.#first;
  }

  /** @returns whether the work succeeded */
  async unless(name: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (this.#count === 0) this.#first = `${name}: ${withoutCredentials(String(error))}`;
      this.#count += 1;
      return false;
    }
  }
}
