/** Places of letters and signs that no language has: most of them show that bytes were decoded by the wrong table. */
const ODD = [
  // A capital beyond ASCII behind a small letter: `Ã` in `FÃ¤hre`.
  /\p{Ll}(?![A-Z])\p{Lu}/gu,
  // A sign between Latin letters, other than apostrophes, hyphens and dots.
  /\p{sc=Latin}(?![\u00ad\u00b4\u00b7\u2010-\u2015\u2018\u2019])[^\0-\x7f\p{L}\p{M}]+\p{sc=Latin}/gu,
  // Latin letters beside others in a word, and others that stand alone.
  /\p{sc=Latin}(?!\p{sc=Latin})\p{L}/gu,
  /(?!\p{sc=Latin})\p{L}\p{M}*\p{sc=Latin}/gu,
  /(?<!\p{L}\p{M}*)(?!\p{sc=Latin})\p{L}\p{M}*(?!\p{L})/gu,
];
/** Latin letters and signs beyond ASCII in a row. */
const ODD_ROW = /(?:(?=[^\0-\x7f])(?:\p{sc=Latin}|[^\p{L}\p{M}\p{N}])){4,}/gu;
/** Characters beyond ASCII for each odd place, at least. */
const PER_ODD = 4;

/** Control characters beyond ASCII, which have no use. */
const CONTROL = /[\x80-\x9f]/;
const OTHER_SCRIPTS = /(?!\p{sc=Latin})\p{L}/u;

/** A single letter beyond ASCII, or a sign other than the usual ones of typography, money and measures. */
const UNUSUAL =
  /(?<!\p{L})(?![a-z])\p{L}(?!\p{L})|(?![\u2013\u2014\u2018-\u201e\u2022\u2026£€§©®°±«»·½¼¾])[^\0-\x7f\p{L}\p{M}]/iu;

/** Returns whether the characters beyond ASCII stand where a language may have them. */
export function isPlausible(text: string): boolean {
  if (CONTROL.test(text)) return false;
  const beyond = text.match(/[^\0-\x7f]/gu)?.length ?? 0;
  const odd = ODD.reduce((sum, places) => sum + (text.match(places)?.length ?? 0), 0);
  const inRows = text.match(ODD_ROW)?.reduce((sum, row) => sum + row.length, 0) ?? 0;
  return (odd + inRows) * PER_ODD <= beyond;
}

/** Returns whether a text has letters that are not Latin. */
export const hasOtherScripts = (text: string): boolean => OTHER_SCRIPTS.test(text);

/** Returns whether all characters beyond ASCII are letters of longer words, or usual signs, or the text is not Latin alone. */
export const isUsual = (text: string): boolean => hasOtherScripts(text) || !UNUSUAL.test(text);
