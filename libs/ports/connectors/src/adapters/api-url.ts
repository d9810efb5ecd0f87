import type { Json } from '#platform/kernel';

/** Returns where an API is, without a slash at its end. Null: a token would go where everybody on the way reads it. */
export function readApiUrl(value: Json | undefined): string | null {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && url.hostname === '127.0.0.1');
  if (url === null || !isSafe || url.username !== '' || url.search !== '' || url.hash !== '') return null;
  return url.href.replace(/\/$/, '');
}
