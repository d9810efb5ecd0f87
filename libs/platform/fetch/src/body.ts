import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { FetchFailedError } from './errors.ts';
import type { BodyStart } from './port.ts';

/** Largest page: a body that is HTML. Bytes. */
export const PAGE_BYTES = 10 * 1024 * 1024;
/** Largest body of any other kind. Bytes. */
export const FILE_BYTES = 50 * 1024 * 1024;

const START_BYTES = 4_096;
const MAX_ENCODINGS = 2;

/** A body as it comes. */
export interface PackedBody {
  readonly contentType: string | null;
  /** As the header `Content-Encoding` has it; null: none. */
  readonly encoding: string | null;
  readonly bytes: AsyncIterable<Buffer>;
}

/**
 * Yields the decompressed bytes of a response.
 * @throws FetchFailedError if they are too many or cannot be decompressed; errors of the connection
 */
export async function* bodyOf(body: PackedBody, limitOf: (body: BodyStart) => number): AsyncGenerator<Uint8Array> {
  const { contentType } = body;
  let limit: number | null = null;
  let length = 0;
  const held: Buffer[] = [];
  for await (const piece of decoded(body)) {
    length += piece.length;
    if (limit === null) {
      held.push(piece);
      if (length < START_BYTES) continue;
      const start = Buffer.concat(held.splice(0));
      limit = limitOf({ contentType, start: start.subarray(0, START_BYTES) });
      if (length <= limit) yield start;
    } else if (length <= limit) yield piece;
    if (length > limit) throw tooLarge(limit);
  }
  if (limit !== null || length === 0) return;
  const start = Buffer.concat(held);
  limit = limitOf({ contentType, start });
  if (length > limit) throw tooLarge(limit);
  yield start;
}

function tooLarge(limit: number): FetchFailedError {
  const mib = Math.floor(limit / (1024 * 1024));
  return new FetchFailedError(`The response is larger than ${mib} MiB. Send a smaller page or file.`);
}

/** The bytes of each layer are limited too: what decompresses to little may still be endless. */
function decoded({ bytes, encoding }: PackedBody): AsyncIterable<Buffer> {
  return encodingsOf(encoding ?? '').reduceRight(
    (pieces, encoding) => limited(decoderOf(encoding)(pieces)),
    limited(bytes),
  );
}

function encodingsOf(header: string): string[] {
  const encodings = header.split(',').map((name) => name.trim().toLowerCase());
  const used = encodings.filter((name) => name !== '' && name !== 'identity');
  if (used.length > MAX_ENCODINGS) throw unreadable();
  return used;
}

type Decoder = (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;

function decoderOf(encoding: string): Decoder {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return (source) => through(source, () => createGunzip());
    case 'br':
      return (source) => through(source, () => createBrotliDecompress());
    case 'deflate':
      // Some servers send it without the header of zlib.
      return (source) => through(source, ([first = 0]) => (first % 16 === 8 ? createInflate() : createInflateRaw()));
    default:
      throw unreadable();
  }
}

/** @param open gets the first piece */
async function* through(source: AsyncIterable<Buffer>, open: (first: Buffer) => Transform): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  const { value: first, done } = await pieces.next();
  if (done) return;
  const decoder = open(first);
  const all = (async function* () {
    yield first;
    yield* { [Symbol.asyncIterator]: () => pieces };
  })();
  pipeline(all, decoder, () => undefined);
  try {
    yield* decoder;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw /^Z_|BROTLI|DECODER/.test(code) ? unreadable(error) : error;
  }
}

async function* limited(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const piece of source) {
    length += piece.length;
    if (length > FILE_BYTES) throw tooLarge(FILE_BYTES);
    yield piece;
  }
}

const unreadable = (cause?: unknown): FetchFailedError =>
  new FetchFailedError('The response is compressed in a way that cannot be read.', { cause });
