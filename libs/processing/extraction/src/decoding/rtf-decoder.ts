import { unknownEncoding } from '../failures.ts';
import { labelOfCodePage } from './code-pages.ts';
import { decodeAs } from './decode-as.ts';

const WESTERN = 1252;
/** Code pages of the character sets of fonts (`\fcharset`). Those that are not here, such as the default one, have the file's. */
const CODE_PAGES: Readonly<Record<number, number>> = {
  ...{ 0: WESTERN, 77: 10_000, 78: 10_001, 79: 10_003, 80: 10_008, 81: 10_002, 89: 10_007 },
  ...{ 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254 },
  ...{ 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850 },
};
/** Control words that name a code page for the whole file. */
const OF_FILE: ReadonlyMap<string, number> = new Map([
  ['mac', 10_000],
  ['pc', 437],
  ['pca', 850],
]);

const BEYOND_ASCII = /[^\0-\x7f]/;

/** Decodes the bytes of a file in the Rich Text Format by the code pages that the file and its fonts name. */
export class RtfDecoder {
  /** Of the fonts that have one, by their numbers. */
  readonly #fonts = new Map<number, number>();
  readonly #labels = new Set<string>();
  /** Some font is not a western one. */
  #hasOthers = false;
  #ofFile = WESTERN;
  #defaultFont = 0;
  /** The font that the table describes. */
  #described = 0;

  /** Takes a control word of the table of fonts. */
  defineFont(word: string, number: number): void {
    if (word === 'f') this.#described = number;
    const codePage = word === 'fcharset' ? CODE_PAGES[number] : word === 'cpg' && number > 0 ? number : undefined;
    if (codePage === undefined) return;
    this.#fonts.set(this.#described, codePage);
    this.#hasOthers ||= codePage !== WESTERN;
  }

  /** Takes a control word that may concern the whole file. */
  defineFile(word: string, number: number): void {
    if (word === 'ansicpg' && number > 0) this.#ofFile = number;
    else if (word === 'deff') this.#defaultFont = number;
    else this.#ofFile = OF_FILE.get(word) ?? this.#ofFile;
  }

  /** @param bytes as Latin-1. @param font null: the default one. @throws ExtractionError */
  decode(bytes: string, font: number | null): string {
    if (!BEYOND_ASCII.test(bytes)) return bytes;
    const label = labelOfCodePage(this.#codePageOf(font ?? this.#defaultFont));
    if (label === null) throw unknownEncoding();
    this.#labels.add(label);
    return decodeAs(Buffer.from(bytes, 'latin1'), label);
  }

  #codePageOf(font: number): number {
    const codePage = this.#fonts.get(font);
    // Some programs call all fonts western, whatever they write in them.
    return codePage === undefined || !this.#hasOthers ? this.#ofFile : codePage;
  }

  get encoding(): string | null {
    const [label = null] = this.#labels;
    return this.#labels.size === 1 ? label : null;
  }
}
