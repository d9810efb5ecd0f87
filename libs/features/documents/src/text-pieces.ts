import { StringDecoder } from 'node:string_decoder';
import pLimit from 'p-limit';
import type { BlobStore } from '#ports/blobs';
import type { ListRef, TextRef } from './events.ts';
import { MissingBlobError } from './missing-blob.ts';

/** Blobs that are looked for at once. */
const CONCURRENCY = 8;

/**
 * Opens a text that may be too long to be held, and returns it in pieces that together are the text.
 * @throws MissingBlobError when a blob is gone; during the iteration also BlobInterruptedError
 */
export async function textPieces(blobs: BlobStore, parts: readonly TextRef[]): Promise<AsyncIterable<string>> {
  const keys = parts.flatMap((part) => ('blob' in part ? [part.blob] : []));
  // Nothing may be missing once an answer has begun. What is opened here is not kept: a part on NATS is in memory.
  await pLimit(CONCURRENCY).map(keys, (key) => openBlob(blobs, key));
  return (async function* () {
    for (const part of parts) {
      if ('inline' in part) yield part.inline;
      else yield* decoded(await openBlob(blobs, part.blob), part.blob.endsWith('.utf16le') ? 'utf16le' : 'utf8');
    }
  })();
}

/** As `textPieces`, for the items of a list, each of which is a list itself or an object. */
export async function listItems<Item extends object>(
  blobs: BlobStore,
  list: ListRef<Item>,
): Promise<AsyncIterable<Item>> {
  if ('blob' in list) return parsedItems<Item>(await textPieces(blobs, [list as TextRef]));
  const { inline } = list;
  return (async function* () {
    yield* inline;
  })();
}

/** Parses a JSON array of arrays or objects while it is read. */
async function* parsedItems<Item>(pieces: AsyncIterable<string>): AsyncGenerator<Item> {
  let text = '';
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  for await (const piece of pieces) {
    // The opening bracket of the whole list, or the comma behind an item, is at the beginning.
    let scanned = text.length;
    let complete = 0;
    text += piece;
    for (; scanned < text.length; scanned += 1) {
      const character = text[scanned];
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (character === '\\') isEscaped = true;
        else if (character === '"') isString = false;
      } else if (character === '"') isString = true;
      else if (character === '[' || character === '{') depth += 1;
      else if (character === ']' || character === '}') {
        depth -= 1;
        if (depth === 1) complete = scanned + 1;
      }
    }
    if (complete === 0) continue;
    yield* JSON.parse(`[${text.slice(1, complete)}]`) as Item[];
    text = text.slice(complete);
  }
}

async function* decoded(bytes: AsyncIterable<Uint8Array>, encoding: 'utf8' | 'utf16le'): AsyncGenerator<string> {
  // Not TextDecoder, which replaces lone surrogates.
  const decoder = new StringDecoder(encoding);
  for await (const piece of bytes) yield decoder.write(piece);
  const rest = decoder.end();
  if (rest !== '') yield rest;
}

async function openBlob(blobs: BlobStore, key: string): Promise<AsyncIterable<Uint8Array>> {
  const bytes = await blobs.stream(key);
  if (bytes === null) throw new MissingBlobError(`the blob ${key} is gone`);
  return bytes;
}
