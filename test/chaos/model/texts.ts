import { WORDS } from '../../model/contract/words.ts';
import type { Random } from '../random.ts';

/** `zq`, the name of a key, a serial number of four letters between `b` and `y`, and `7`. */
const MARKER = /zq[a-z][b-y]{4}7/g;
/** Position of the key's name in a marker. */
const NAME_AT = 2;

const FIRST_LETTER = 'b'.charCodeAt(0);
const LETTERS = 24;
const DIGITS = 4;
const SHARE_OF_LONG_TEXTS = 0.05;
/** Long enough for a blob. */
const LONG_WORDS = 6_000;

export interface MarkedText {
  readonly text: string;
  readonly marker: string;
}

/** Makes the texts of one key. Each begins with a marker, a word that no other text has. */
export class Texts {
  readonly #caller: string;
  readonly #random: Random;
  #serial = 0;

  constructor(caller: string, random: Random) {
    this.#caller = caller;
    this.#random = random;
  }

  next(): MarkedText {
    const marker = markerOf(this.#caller, this.#serial);
    this.#serial += 1;
    const length = this.#random.chance(SHARE_OF_LONG_TEXTS) ? LONG_WORDS : this.#random.int(3, 30);
    const words = Array.from({ length }, () => this.#random.pick(WORDS));
    return { text: `${marker} ${words.join(' ')}.`, marker };
  }
}

export const markersIn = (text: string): readonly string[] => text.match(MARKER) ?? [];

/** Returns the names of the keys whose texts are in this one. */
export const callersIn = (text: string): ReadonlySet<string> =>
  new Set(markersIn(text).map((marker) => marker.charAt(NAME_AT)));

/**
 * No stemmer is given a word with a digit. Of words of letters only, those of some languages remove the end: that of
 * Hungarian, for which a short text may be taken, gives `zqabcsek` and `zqabcsok` the same stem.
 */
function markerOf(caller: string, serial: number): string {
  let rest = serial;
  let letters = '';
  for (let i = 0; i < DIGITS; i += 1) {
    letters = String.fromCharCode(FIRST_LETTER + (rest % LETTERS)) + letters;
    rest = Math.floor(rest / LETTERS);
  }
  return `zq${caller}${letters}7`;
}
