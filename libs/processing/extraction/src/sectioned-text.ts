import type { Location, Section } from '#platform/kernel';
import { tooLarge } from './failures.ts';
import { normalize } from './normalize.ts';

/** Longest text that is made of one file, unless a length is stated. UTF-16 code units. */
const MAX_TEXT = 100_000_000;

/** Builds the text of a source of paragraphs and turns, with the places where its sections begin. */
export class SectionedText {
  readonly #longest: number;
  readonly #pieces: string[] = [];
  readonly #sections: Section[] = [];
  #length = 0;
  #next: Location | null = null;
  #isInTurn = false;

  /** @param longest the text may become, in UTF-16 code units */
  constructor(longest = MAX_TEXT) {
    this.#longest = longest;
  }

  /** What follows stands here, from its first paragraph or turn on. */
  section(location: Location): void {
    this.#next = location;
  }

  /**
   * A blank paragraph is left out.
   * @throws ExtractionError if the text becomes too long
   */
  add(paragraph: string): void {
    const words = trimmed(paragraph);
    if (words === '') return;
    const start = this.#add(words, '\n\n');
    if (this.#isInTurn) this.#sections.push([start, this.#next ?? {}, null]);
    else if (this.#next !== null) this.#sections.push([start, this.#next]);
    this.#next = null;
    this.#isInTurn = false;
  }

  /** Adds paragraphs with blank lines between them. @throws as `add` */
  addAll(paragraphs: string): void {
    for (const paragraph of paragraphs.split('\n\n')) this.add(paragraph);
  }

  /** Adds a turn on a line of its own, with `head` before its words. Blank words are left out. @throws as `add` */
  addTurn(speaker: string, head: string, words: string): void {
    const said = trimmed(words).trimStart();
    if (said === '') return;
    const before = normalize(head);
    const start = this.#add(before + said, this.#isInTurn ? '\n' : '\n\n');
    this.#sections.push([start, this.#next ?? {}, { speaker, words: start + before.length }]);
    this.#next = null;
    this.#isInTurn = true;
  }

  get result(): { readonly text: string; readonly sections: readonly Section[] } {
    return { text: this.#pieces.join(''), sections: this.#sections };
  }

  /** Returns where the piece begins. */
  #add(piece: string, separator: string): number {
    const start = this.#length === 0 ? 0 : this.#length + separator.length;
    this.#pieces.push(start === 0 ? piece : separator + piece);
    this.#length = start + piece.length;
    if (this.#length > this.#longest) {
      throw tooLarge(`The file holds more than ${this.#longest} characters of text`);
    }
    return start;
  }
}

/** Without a blank line before it and white space behind it; '' if it is blank. */
const trimmed = (paragraph: string): string =>
  normalize(paragraph)
    .trimEnd()
    .replace(/^[^\S\n]*\n/, '');
