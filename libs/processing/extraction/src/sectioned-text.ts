import type { Location, Section } from '#platform/kernel';
import { tooLarge } from './failures.ts';
import { normalize } from './normalize.ts';

/** Longest text that is made of one file, unless a length is stated. UTF-16 code units. */
const MAX_TEXT = 100_000_000;

/** Builds the text of a source of paragraphs, with the places where its sections begin. */
export class SectionedText {
  readonly #longest: number;
  readonly #paragraphs: string[] = [];
  readonly #sections: Section[] = [];
  #length = 0;
  #next: Location | null = null;

  /** @param longest the text may become, in UTF-16 code units */
  constructor(longest = MAX_TEXT) {
    this.#longest = longest;
  }

  /** What follows stands here, from its first paragraph on. */
  section(location: Location): void {
    this.#next = location;
  }

  /**
   * A blank paragraph is left out.
   * @throws ExtractionError if the text becomes too long
   */
  add(paragraph: string): void {
    const words = normalize(paragraph).replace(/^[^\S\n]*\n|\s+$/g, '');
    if (words.trim() === '') return;
    const start = this.#paragraphs.length === 0 ? 0 : this.#length + 2;
    if (this.#next !== null) this.#sections.push([start, this.#next]);
    this.#next = null;
    this.#paragraphs.push(words);
    this.#length = start + words.length;
    if (this.#length > this.#longest) {
      throw tooLarge(`The file holds more than ${this.#longest} characters of text`);
    }
  }

  /** Adds paragraphs with blank lines between them. @throws as `add` */
  addAll(paragraphs: string): void {
    for (const paragraph of paragraphs.split('\n\n')) this.add(paragraph);
  }

  get result(): { readonly text: string; readonly sections: readonly Section[] } {
    return { text: this.#paragraphs.join('\n\n'), sections: this.#sections };
  }
}
