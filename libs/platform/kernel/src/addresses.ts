/** Returns an address without its credentials and query, fit for logs. Accepts any text that contains addresses. */
export function withoutCredentials(text: string): string {
  return text
    .replace(/(?<=\/\/)[^@/?#\s]+@/g, '')
    .replace(/[^@/?#\s,]+@/g, '')
    .replace(/\?.*$/, '');
}
