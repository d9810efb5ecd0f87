/** Returns whether the content, without surrounding white space, is one absolute http(s) URL (contract P3). */
export function isUrl(content: string): boolean {
  const trimmed = content.trim();
  // URL.canParse ignores inner line breaks and tabs.
  return /^https?:\/\/\S+$/i.test(trimmed) && URL.canParse(trimmed);
}
