const ASCII = /^[\0-\x7f]*$/;

/**
 * The form in which `ignoreCase` compares, for stored values and for filter values alike. By way of upper case, because
 * some letters only meet there (ß and SS, ς and σ), and of lower case before it, because ẞ is its own upper case. Accents
 * and compatibility forms stay distinct. Idempotent.
 */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const cased = text.toWellFormed().normalize('NFD').toLowerCase().toUpperCase().toLowerCase();
  return cased.replaceAll('ς', 'σ').normalize('NFC');
}
