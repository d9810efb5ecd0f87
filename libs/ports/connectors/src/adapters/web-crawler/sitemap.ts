import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Parser } from 'htmlparser2';

/** As the protocol has it, of one file. After decompression, bytes. */
const MOST_BYTES = 50 * 1024 * 1024;

export interface Sitemap {
  readonly pages: readonly string[];
  /** Of an index. */
  readonly sitemaps: readonly string[];
}

/**
 * Reads a sitemap, an index of sitemaps, or a list of addresses in lines; each also compressed.
 * @param most addresses that are read
 * @throws what the body throws; an error for what can't be decompressed
 */
export async function readSitemap(body: AsyncIterable<Uint8Array>, most: number): Promise<Sitemap> {
  const pages: string[] = [];
  const sitemaps: string[] = [];
  let inIndex = false;
  let location: string | null = null;
  const parser = new Parser(
    {
      onopentagname: (name) => {
        if (name.endsWith('sitemapindex')) inIndex = true;
        if (/(?:^|:)loc$/.test(name) && !name.startsWith('image') && !name.startsWith('video')) location = '';
      },
      ontext: (text) => {
        if (location !== null) location += text;
      },
      onclosetag: (name) => {
        if (location === null || !/(?:^|:)loc$/.test(name)) return;
        const all = inIndex ? sitemaps : pages;
        if (all.length < most) all.push(location.trim());
        location = null;
      },
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder();
  let start: string | null = null;
  let size = 0;
  for await (const piece of unpacked(body)) {
    size += piece.length;
    if (size > MOST_BYTES || pages.length >= most) break;
    const text = decoder.decode(piece, { stream: true });
    start = (start ?? '') + (start !== null && start.length > 1_000_000 ? '' : text);
    parser.write(text);
  }
  parser.end();
  if (pages.length + sitemaps.length > 0 || start === null || start.trimStart().startsWith('<'))
    return { pages, sitemaps };
  return {
    pages: start
      .split(/\s+/)
      .filter((line) => /^https?:/.test(line))
      .slice(0, most),
    sitemaps,
  };
}

/** The first bytes tell whether it is compressed, whatever its name and its headers say. */
async function* unpacked(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done) return;
  async function* all() {
    yield first.value as Uint8Array;
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
  }
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all();
    return;
  }
  // Errors of either end the iteration.
  yield* pipeline(Readable.from(all()), createGunzip(), () => {});
}
