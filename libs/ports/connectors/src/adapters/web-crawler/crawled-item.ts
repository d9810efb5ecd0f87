import type { SourceItem } from '../../connector.ts';
import type { KnownPage } from './known-pages.ts';

/** A time that a server writes anew for each answer tells nothing. Milliseconds. */
const LEAST_AGE_MS = 60_000;

/** The item of a page. @param now milliseconds since the Unix epoch */
export function itemOf(
  { address, version, title, contentType, size, lastModified }: KnownPage,
  now: number,
): SourceItem {
  const changed = Date.parse(lastModified ?? '');
  return {
    ...{ id: address, version, path: pathOf(new URL(address)), title, contentType, size, link: address },
    ...{ owner: null, createdAt: null },
    updatedAt: changed < now - LEAST_AGE_MS ? new Date(changed).toISOString() : null,
  };
}

/** The name of a file, or of a page without a title. */
export function nameOf(address: string): string {
  const url = new URL(address);
  return pathOf(url).replace(/\/$/, '').split('/').at(-1)?.split('?')[0] || url.host;
}

function pathOf({ pathname, search }: URL): string {
  try {
    return decodeURIComponent(pathname) + search;
  } catch {
    return pathname + search;
  }
}

/** Of a body that is kept in memory, so that it can be read again. */
export const again = (bytes: Uint8Array): AsyncIterable<Uint8Array> => ({
  async *[Symbol.asyncIterator]() {
    yield bytes;
  },
});
