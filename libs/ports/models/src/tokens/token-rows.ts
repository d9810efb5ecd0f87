import { projectStates, type TokenBasis } from './token-basis.ts';

/** Short vectors of tokens as they are stored: rows of one int8 for each dimension, in steps of 1/127. */
export type TokenRows = Int8Array;

/** Of several texts, one after the other. */
export interface JoinedRows {
  readonly rows: TokenRows;
  /** Of each text. Bytes. */
  readonly lengths: readonly number[];
}

const STEPS = 127;

/** @param vectors of unit length, in rows */
export const tokenRows = (vectors: Float32Array): TokenRows =>
  Int8Array.from(vectors, (value) => Math.round(value * STEPS));

/** Gathers the tokens of texts, whose states come in the order of the texts. */
export class TokenCollector {
  readonly #basis: TokenBasis;
  readonly #parts: TokenRows[] = [];
  readonly #lengths: number[];

  constructor(basis: TokenBasis, texts: number) {
    this.#basis = basis;
    this.#lengths = new Array<number>(texts).fill(0);
  }

  /** @param states rows of the model's last layer */
  add(text: number, states: Float32Array): void {
    const rows = tokenRows(projectStates(states, this.#basis));
    this.#parts.push(rows);
    this.#lengths[text]! += rows.length;
  }

  joined(): JoinedRows & { readonly rows: Int8Array<ArrayBuffer> } {
    const rows = new Int8Array(this.#lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const part of this.#parts) {
      rows.set(part, at);
      at += part.length;
    }
    return { rows, lengths: this.#lengths };
  }
}
