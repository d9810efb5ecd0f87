import { tooLarge } from '../failures.ts';

/** Pictures of one file that are read. */
const MAX_PICTURES = 1_000;

/** The texts of the pictures that a file holds, by the names that its extractor gives them. */
export interface PictureTexts {
  /** Empty: it shows no text, or is read before the file is read again. */
  textOf(name: string): string;
}

/** Of a file whose pictures are not read. */
export const NO_PICTURES: PictureTexts = { textOf: () => '' };

/** What was read from pictures, and the names of those that have to be read. */
export class KnownPictures implements PictureTexts {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #missing = new Set<string>();

  constructor(texts: Readonly<Record<string, string>> = {}) {
    this.#texts = new Map(Object.entries(texts));
  }

  /** @throws ExtractionError if there are too many */
  textOf(name: string): string {
    const text = this.#texts.get(name);
    if (text !== undefined) return text;
    this.#missing.add(name);
    if (this.#missing.size > MAX_PICTURES) throw tooLarge(`The file holds more than ${MAX_PICTURES} pictures of text`);
    return '';
  }

  get missing(): readonly string[] {
    return [...this.#missing];
  }
}
