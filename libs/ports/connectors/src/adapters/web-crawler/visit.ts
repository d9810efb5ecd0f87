import { createHash } from 'node:crypto';
import { PAGE_BYTES } from '#platform/fetch';
import type { SourceContent } from '../../connector.ts';
import { again, nameOf } from './crawled-item.ts';
import type { KnownPage } from './known-pages.ts';
import { readPage } from './page.ts';
import type { Scope } from './scope.ts';

const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/i;
/** What is no document, though it is linked. */
const NO_DOCUMENT = /^(?:text\/(?:css|javascript)|application\/(?:javascript|rss\+xml|atom\+xml|wasm)|font\/)/i;
/** Headers longer than that are kept by nobody. */
const LONGEST_VALIDATOR = 200;

/** What an answer with a body is to the crawl. */
export interface Visited {
  readonly page: KnownPage;
  /** Absent: not read yet. */
  readonly content?: SourceContent;
  /** The address that the page names as its own, if it is another one of the crawl. */
  readonly canonical: string | null;
  /** The site does not want it to be kept, or it is no document. */
  readonly isHidden: boolean;
}

/** Reads an answer with status 200 to 299. @throws FetchFailedError */
export async function read(address: string, answer: Response, scope: Scope): Promise<Visited> {
  const { headers } = answer;
  const contentType = headers.get('content-type');
  const found = {
    ...{ address, contentType: contentType?.split(';')[0]?.trim().toLowerCase() ?? null },
    ...{ etag: validator(headers.get('etag')), lastModified: validator(headers.get('last-modified')) },
  };
  const robots = headers.get('x-robots-tag');
  if (contentType !== null && HTML.test(contentType)) return readHtml(answer, found, scope);
  const isHidden =
    (contentType !== null && NO_DOCUMENT.test(contentType)) || /\b(?:noindex|none)\b/i.test(robots ?? '');
  const length = headers.get('content-length');
  const size = length === null || headers.has('content-encoding') ? null : Number(length);
  const validated = found.etag ?? (found.lastModified === null ? null : `${found.lastModified} ${length}`);
  const isKnown = validated !== null || isHidden;
  const version = isKnown ? (validated ?? '') : await hashOf(answer);
  if (isKnown) await answer.body?.cancel();
  const page = { ...found, version, title: nameOf(address), size, links: [] };
  return { page, canonical: null, isHidden };
}

async function readHtml(
  answer: Response,
  found: Pick<KnownPage, 'address' | 'contentType' | 'etag' | 'lastModified'>,
  scope: Scope,
): Promise<Visited> {
  const { address } = found;
  const bytes = await beginningOf(answer);
  const isWhole = bytes.length <= PAGE_BYTES;
  const html = decoded(bytes, answer.headers.get('content-type') ?? '');
  const { title, hash, links, base, canonical, isHidden } = readPage(html, answer.headers.get('x-robots-tag'));
  const from = URL.parse(base ?? '', address) ?? new URL(address);
  const inScope = new Set(links.flatMap((link) => scope.admit(link, from) ?? []));
  const own = canonical === null ? null : scope.admit(canonical, from);
  const page = {
    ...{ ...found, version: hash, title: title ?? nameOf(address), size: isWhole ? bytes.length : null },
    links: [...inScope],
  };
  // What is too large is read, and refused, like a file.
  const { contentType } = found;
  const content = { type: null, name: nameOf(address), contentType, body: again(bytes) };
  return { page, ...(isWhole && { content }), canonical: own === address ? null : own, isHidden };
}

/** A little more than a page may have, if there is more. */
async function beginningOf(answer: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length > PAGE_BYTES) break;
  }
  return Buffer.concat(pieces);
}

function decoded(bytes: Buffer, contentType: string): string {
  const named = /charset\s*=\s*["']?([\w-]+)/i;
  const label = named.exec(contentType)?.[1] ?? named.exec(bytes.subarray(0, 2_048).toString('latin1'))?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return bytes.toString();
  }
}

async function hashOf(answer: Response): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of answer.body ?? []) hash.update(piece);
  return hash.digest('base64url').slice(0, 22);
}

const validator = (header: string | null): string | null =>
  header !== null && header.length <= LONGEST_VALIDATOR ? header : null;
