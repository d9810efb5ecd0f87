import type { IndexName } from './mappings.ts';
import { termOf } from './term.ts';

/** Aliases of one set of views. Rows are read and written only through them, so that an index can be replaced. */
export class Aliases {
  readonly #prefix: string;
  readonly #writers: string;

  constructor(prefix: string) {
    if (!/^[a-z0-9][a-z0-9_-]{0,99}$/.test(prefix)) {
      throw new RangeError(`"${prefix}" is no prefix for indices: lower-case letters, digits, "-" and "_"`);
    }
    this.#prefix = prefix;
    this.#writers = `${prefix}-writer-`;
  }

  of(name: IndexName): string {
    return `${this.#prefix}-${name}`;
  }

  /** Through which the writer with a fencing token writes. */
  ofWriter(fencingToken: number, name: IndexName): string {
    return `${this.#writers}${fencingToken}-${name}`;
  }

  /** Whether an alias is that of a writer. */
  isOfWriter(alias: string): boolean {
    return alias.startsWith(this.#writers);
  }

  /** Returns the fencing token of the writer whose alias it is. */
  writerOf(alias: string): number {
    return Number.parseInt(alias.slice(this.#writers.length), 10);
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
