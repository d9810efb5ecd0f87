import type { PdfPage } from './parser.ts';

/** The parser's font, with `fontExtraProperties`. */
interface ParsedFont {
  readonly composite?: boolean;
  /** From codes to letters; without `_map` the codes are taken for letters. */
  readonly toUnicode?: { readonly _map?: Readonly<Record<string, string | undefined>> };
}

interface FontFacts {
  /** Hyphens of it are not among the parser's text. */
  readonly hasSoftHyphen: boolean;
  /** It has many letters, and does not say which ones. */
  readonly isNameless: boolean;
}

/** What the fonts of one file say about their letters. The parser tells it once the letters of a page are drawn. */
export class Fonts {
  readonly #known = new Map<string, FontFacts>();

  isKnown(name: string): boolean {
    return this.#known.has(name);
  }

  hasSoftHyphen(name: string): boolean {
    return this.#known.get(name)?.hasSoftHyphen === true;
  }

  isNameless(name: string): boolean {
    return this.#known.get(name)?.isNameless === true;
  }

  /** @param page whose operations were read */
  learn(page: PdfPage, names: readonly string[]): void {
    for (const name of names) {
      if (this.#known.has(name)) continue;
      const font: ParsedFont = page.commonObjs.has(name) ? page.commonObjs.get(name) : {};
      const map = font.toUnicode?._map;
      this.#known.set(name, {
        hasSoftHyphen: map !== undefined && Object.values(map).includes('\u00ad'),
        isNameless: font.composite === true && font.toUnicode !== undefined && map === undefined,
      });
    }
  }
}
