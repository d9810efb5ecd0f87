/**
 * Returns the absolute http(s) URL that a text is, without the white space around it (contract P3). Null: the text is no URL,
 * or more than one.
 */
export function urlIn(text: string): string | null {
  const trimmed = text.trim();
  // URL.canParse ignores inner line breaks and tabs.
  return /^https?:\/\/\S+$/i.test(trimmed) && URL.canParse(trimmed) ? trimmed : null;
}
