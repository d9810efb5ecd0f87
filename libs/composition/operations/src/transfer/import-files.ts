import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { contentHash, type JsonObject } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import { FILES, type HistoryEntry, replaceObjects } from './format.ts';

/** EventStoreDB accepts 1 MiB in one append. Bytes of JSON. */
const MAX_APPEND = 700_000;
/** A reference to a blob is hardly shorter than this. Bytes of JSON. */
const MIN_MOVED = 300;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,150}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** A file of the export is missing or has changed. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError';
}

/**
 * Stores the files that a document refers to as its blobs.
 * @returns the history with references to these blobs
 * @throws DamagedFileError
 */
export async function storeFiles(
  history: readonly HistoryEntry[],
  { folder, prefix, blobs }: { readonly folder: string; readonly prefix: string; readonly blobs: BlobStore },
): Promise<readonly HistoryEntry[]> {
  const files = new Map<string, string>();
  const withBlobs = history.map((entry) => {
    const payload = replaceObjects(entry.payload, (object) => {
      const { sha256, ...reference } = object;
      if (sha256 === undefined || typeof object.blob !== 'string') return null;
      if (!NAME.test(object.blob)) throw new DamagedFileError(`${object.blob} is not the name of a blob`);
      const key = `${prefix}${object.blob}`;
      if (sha256 !== null) {
        if (typeof sha256 !== 'string' || !SHA256.test(sha256)) throw new DamagedFileError(`${sha256} is no file`);
        files.set(key, sha256);
      }
      return { ...reference, blob: key };
    });
    return { ...entry, payload: payload as JsonObject | null };
  });
  for (const [key, sha256] of files) await blobs.put(key, verifiedPieces(join(folder, FILES, sha256), sha256));
  return withinOneAppend(withBlobs, prefix, blobs);
}

async function* verifiedPieces(path: string, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  try {
    for await (const piece of createReadStream(path)) {
      hash.update(piece as Buffer);
      yield piece as Buffer;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new DamagedFileError(`${FILES}/${sha256} is missing`);
  }
  if (hash.digest('hex') !== sha256) throw new DamagedFileError(`${FILES}/${sha256} has changed`);
}

/** Moves texts and lists from the events into blobs if the events are too many bytes for one append. */
async function withinOneAppend(
  history: readonly HistoryEntry[],
  prefix: string,
  blobs: BlobStore,
): Promise<readonly HistoryEntry[]> {
  if (Buffer.byteLength(JSON.stringify(history)) <= MAX_APPEND) return history;
  const moved = new Map<string, Buffer>();
  const put = (bytes: Buffer, text: string, extension: string, length: number): JsonObject => {
    const blob = `${prefix}${contentHash(text)}.${extension}`;
    moved.set(blob, bytes);
    return { blob, length };
  };
  const shorter = history.map((entry) => {
    const payload = replaceObjects(entry.payload, ({ inline }) => {
      if (typeof inline === 'string' && inline.length > MIN_MOVED) {
        const encoding = inline.isWellFormed() ? 'utf8' : 'utf16le';
        return put(Buffer.from(inline, encoding), inline, encoding, inline.length);
      }
      const json = Array.isArray(inline) ? JSON.stringify(inline) : '';
      return json.length > MIN_MOVED
        ? put(Buffer.from(json), json, 'json', (inline as readonly unknown[]).length)
        : null;
    });
    return { ...entry, payload: payload as JsonObject | null };
  });
  for (const [key, bytes] of moved) await blobs.put(key, bytes);
  return shorter;
}
