import { isLoopbackHost } from '#platform/kernel';

const MAX_LENGTH = 500;
/** Schemes of programs on the reader's device are many; these are of browsers, and lead to no program. */
const CLOSED: ReadonlySet<string> = new Set(
  ['javascript', 'data', 'vbscript', 'blob', 'file', 'filesystem', 'about', 'view-source', 'ftp', 'ws', 'wss'].map(
    (scheme) => `${scheme}:`,
  ),
);

/** Whether a client may have people sent back to an address: one of the web with TLS, of a program on loopback, or of a scheme of its own. */
export function isRedirectUri(text: string): boolean {
  const url = text.length > MAX_LENGTH || /[^\x21-\x7e]/.test(text) ? null : URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || text.includes('#')) return false;
  if (url.protocol === 'http:') return isLoopbackHost(url.hostname);
  return url.protocol === 'https:' ? url.hostname !== '' : !CLOSED.has(url.protocol);
}

/** Whether an address is one of the client's: the same text; a program on loopback chooses its port when it starts. */
export function isOneOf(registered: readonly string[], text: string): boolean {
  return registered.some(
    (one) => one === text || (isProgram(one) && isProgram(text) && portless(one) === portless(text)),
  );
}

/** Where it leads to, for people. */
export function placeOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol.slice(0, -1);
}

/** Whether it leads to a program on the device of the reader. */
export const isProgram = (redirectUri: string): boolean => URL.parse(redirectUri)?.protocol === 'http:';

function portless(redirectUri: string): string {
  const url = new URL(redirectUri);
  url.port = '';
  return url.href;
}
