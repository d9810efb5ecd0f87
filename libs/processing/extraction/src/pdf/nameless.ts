import type { Fonts } from './fonts.ts';

/** What a font without names for its letters leaves behind: control characters, private use, unassigned, U+FFFD. */
const NAMELESS = /[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu;
/** A font with this share of such letters names none. */
const SHARE = 0.1;
/** Shorter words, and fewer different letters, are bullets and symbols. */
const LETTERS = 3;
/** Stand for letters of any kind. */
const UNKNOWN = /[\0\ufffd]/;

interface FontText {
  readonly str: string;
  readonly fontName: string;
}

/** Whether words of a page are drawn in a font that does not say which letters they are. */
export function hasNamelessWords(items: readonly FontText[], fonts: Fonts): boolean {
  const counts = new Map<string, { letters: number; nameless: number; hasWords: boolean }>();
  for (const { str, fontName } of items) {
    const count = counts.get(fontName) ?? { letters: 0, nameless: 0, hasWords: false };
    counts.set(fontName, count);
    const isAll = fonts.isNameless(fontName);
    if (!isAll && str.search(NAMELESS) < 0) {
      count.letters += str.length;
      continue;
    }
    for (const word of str.split(/\s/)) {
      const nameless = isAll ? [...word] : (word.match(NAMELESS) ?? []);
      count.letters += word.length;
      count.nameless += nameless.length;
      count.hasWords ||= isWord(nameless);
    }
  }
  return [...counts.values()].some(({ letters, nameless, hasWords }) => hasWords && nameless >= letters * SHARE);
}

const isWord = (letters: readonly string[]): boolean =>
  letters.length >= LETTERS && (new Set(letters).size >= LETTERS || letters.some((one) => UNKNOWN.test(one)));

/** Removes control characters, which some fonts name for bullets. */
export const withoutControls = (text: string): string => text.replace(/(?!\s)\p{Cc}/gu, '');
