import { isLoopbackHost } from '#platform/kernel';

/** Characters. */
const MAX_LENGTH = 500;

/**
 * Whether people may be sent back to an address: one below those of the operator, or of a program on their own device. Any
 * other one would make this server a way to lead people elsewhere.
 * @param redirects addresses without a slash at their end
 */
export function mayReturnTo(address: string, redirects: readonly string[]): boolean {
  const url = address.length > MAX_LENGTH || /[^\x21-\x7e]/.test(address) ? null : URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '' || address.includes('#')) return false;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return false;
  if (isLoopbackHost(url.hostname)) return true;
  return redirects.some((one) => {
    const allowed = new URL(one);
    const path = allowed.pathname.replace(/\/$/, '');
    return url.origin === allowed.origin && (url.pathname === path || url.pathname.startsWith(`${path}/`));
  });
}

/** Adds what has come of it to an address. */
export function withOutcome(address: string, outcome: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value);
  return url.href;
}
