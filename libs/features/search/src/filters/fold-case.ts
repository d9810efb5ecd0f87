const ASCII = /^[\0-\x7f]*$/;

/**
 * Returns the form in which `ignoreCase` compares stored values and filter values. Folds through upper case, where ß and
 * SS, ς and σ are equal, and through lower case before it, because ẞ is its own upper case. Accents and compatibility forms
 * stay distinct. Idempotent.
 */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const cased = text.toWellFormed().normalize('NFD').toLowerCase().toUpperCase().toLowerCase();
  return cased.replaceAll('ς', 'σ').normalize('NFC');
}
