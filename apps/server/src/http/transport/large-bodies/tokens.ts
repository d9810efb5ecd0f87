/**
 * A JSON value as a flat list, so that it passes between threads in pieces: a structured clone of a large value blocks the
 * thread that receives it. Each value takes two entries, its key (null in a list and at the top) and the value itself; of an
 * object or a list an empty one, whose content follows up to `END`.
 */
export type Tokens = unknown[];

const END = undefined;

/** Values of a piece. */
const PIECE_VALUES = 4_096;
/** Characters of a piece, beyond which no further value is added. */
const PIECE_CHARACTERS = 1_048_576;

type Container = Record<string, unknown> | unknown[];

interface Level {
  readonly container: Container;
  /** Null: a list. */
  readonly keys: readonly string[] | null;
  at: number;
}

/** Takes a value apart. */
export class ValuePieces {
  readonly #levels: Level[] = [];
  readonly #root: unknown;
  #isBegun = false;

  constructor(root: unknown) {
    this.#root = root;
  }

  get isDone(): boolean {
    return this.#isBegun && this.#levels.length === 0;
  }

  next(): Tokens {
    const tokens: Tokens = [];
    let characters = 0;
    if (!this.#isBegun) characters += this.#add(tokens, null, this.#root);
    this.#isBegun = true;
    while (this.#levels.length > 0 && tokens.length < 2 * PIECE_VALUES && characters < PIECE_CHARACTERS) {
      const level = this.#levels.at(-1) as Level;
      const { container, keys } = level;
      const index = level.at++;
      if (index >= (keys ?? (container as unknown[])).length) {
        tokens.push(null, END);
        this.#levels.pop();
      } else if (keys === null) characters += this.#add(tokens, null, (container as unknown[])[index]);
      else
        characters += this.#add(
          tokens,
          keys[index] as string,
          (container as Record<string, unknown>)[keys[index] as string],
        );
    }
    return tokens;
  }

  /** Returns the number of characters that were added. */
  #add(tokens: Tokens, key: string | null, value: unknown): number {
    const characters = key?.length ?? 0;
    if (typeof value !== 'object' || value === null) {
      tokens.push(key, value);
      return characters + (typeof value === 'string' ? value.length : 0);
    }
    const isList = Array.isArray(value);
    tokens.push(key, isList ? [] : {});
    this.#levels.push({ container: value as Container, keys: isList ? null : Object.keys(value), at: 0 });
    return characters;
  }
}

/** Puts a value together. */
export class ValueBuilder {
  readonly #containers: Container[] = [];
  #root: unknown;

  add(tokens: Tokens): void {
    for (let i = 0; i < tokens.length; i += 2) {
      const value = tokens[i + 1];
      if (value === END) this.#containers.pop();
      else this.#put(tokens[i] as string | null, value);
    }
  }

  /** The value, when everything is added. */
  get value(): unknown {
    return this.#root;
  }

  #put(key: string | null, value: unknown): void {
    const container = this.#containers.at(-1);
    if (container === undefined) this.#root = value;
    else if (Array.isArray(container)) container.push(value);
    // An assignment would set the prototype.
    else if (key === '__proto__') Object.defineProperty(container, key, { value, ...PLAIN });
    else container[key as string] = value;
    if (typeof value === 'object' && value !== null) this.#containers.push(value as Container);
  }
}

const PLAIN = { enumerable: true, writable: true, configurable: true };
