import type { IndexName } from './mappings.ts';
import { termOf } from './terms.ts';

/** Aliases of one set of views. Rows are read and written only through them, so that an index can be replaced. */
export class Aliases {
  readonly #prefix: string;

  constructor(prefix: string) {
    if (!/^[a-z0-9][a-z0-9_-]{0,99}$/.test(prefix)) {
      throw new RangeError(`"${prefix}" is no prefix for indices: lower-case letters, digits, "-" and "_"`);
    }
    this.#prefix = prefix;
  }

  of(name: IndexName): string {
    return `${this.#prefix}-${name}`;
  }

  /** The rows of a read model. */
  ofModel(model: string): string {
    return `${this.#prefix}-model-${model}`;
  }

  /** The units of one vector space. */
  ofSpace(space: string): string {
    // Base64 has capital letters, which index names may not have.
    return `${this.#prefix}-space-${Buffer.from(termOf('space', space)).toString('hex')}`;
  }
}
