import { gunzipSync, gzipSync } from 'node:zlib';
import type { Json } from '#platform/kernel';

/** Of the cursor, which is kept in an event. What does not fit is downloaded again. Characters. */
const MOST_CURSOR = 200_000;
/** Of a cursor after decompression. Bytes. */
const MOST_UNPACKED = 20_000_000;
const FORMAT = 1;

/** What an earlier crawl knows of a page or file. */
export interface KnownPage {
  readonly address: string;
  readonly version: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly title: string;
  readonly contentType: string | null;
  readonly size: number | null;
  /** Addresses of the crawl to which it leads. */
  readonly links: readonly string[];
}

type Row = [string, string, string | null, string | null, string, string | null, number | null, readonly number[]];

/** Returns the pages of an earlier crawl by their addresses; none of a cursor that can't be read. */
export function readKnown(cursor: Json | null): Map<string, KnownPage> {
  const { format, pages } = (cursor ?? {}) as { format?: Json; pages?: Json };
  if (format !== FORMAT || typeof pages !== 'string') return new Map();
  const unpacked = gunzipSync(Buffer.from(pages, 'base64'), { maxOutputLength: MOST_UNPACKED }).toString();
  const { addresses, rows } = JSON.parse(unpacked) as { addresses: string[]; rows: Row[] };
  return new Map(
    rows.map(([address, version, etag, lastModified, title, contentType, size, links]) => [
      address,
      {
        ...{ address, version, etag, lastModified, title, contentType, size },
        links: links.flatMap((at) => addresses[at] ?? []),
      },
    ]),
  );
}

/** Returns the cursor. Of a large site it has the pages that were found first. */
export function cursorOf(pages: readonly KnownPage[]): Json {
  for (let count = pages.length; ; count = Math.floor(count / 2)) {
    const cursor = packed(pages.slice(0, count));
    if (cursor.length <= MOST_CURSOR || count === 0) return { format: FORMAT, pages: cursor };
  }
}

function packed(pages: readonly KnownPage[]): string {
  const numbers = new Map<string, number>();
  const numberOf = (address: string) => {
    const number = numbers.get(address) ?? numbers.size;
    numbers.set(address, number);
    return number;
  };
  const rows = pages.map(({ address, version, etag, lastModified, title, contentType, size, links }) => [
    ...[address, version, etag, lastModified, title, contentType, size],
    links.map(numberOf),
  ]);
  return gzipSync(JSON.stringify({ addresses: [...numbers.keys()], rows })).toString('base64');
}
