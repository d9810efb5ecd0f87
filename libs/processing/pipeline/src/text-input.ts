import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type DocumentTexts, MissingBlobError, type TextRef, textLength } from '#features/documents';
import type { JobInput } from '#platform/child-jobs';
import { translateFileError } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import type { TextEncoding } from '#processing/extraction';

/** A text as the input of a job. */
export interface TextInput {
  readonly input: JobInput;
  readonly encoding: TextEncoding;
  readonly characters: number;
}

/** Returns the blob's own file, or where blobs are no files, a copy that is made when the job begins. @throws MissingBlobError */
export async function blobInput(blobs: BlobStore, blob: string): Promise<JobInput> {
  const path = await blobs.filePath(blob);
  if (path !== null) return { path };
  await openBlob(blobs, blob);
  return { copy: () => piecesOf(blobs, blob) };
}

/** Returns the first bytes of an input. @throws MissingBlobError, ResourceError; ENOENT for a file that was deleted since */
export async function headOf(input: JobInput, length: number): Promise<Uint8Array> {
  if ('path' in input) {
    await using file = await open(input.path).catch((error) => {
      throw translateFileError(error);
    });
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length);
    return buffer.subarray(0, bytesRead);
  }
  const pieces: Uint8Array[] = [];
  let read = 0;
  for await (const piece of input.copy()) {
    pieces.push(piece);
    read += piece.length;
    if (read >= length) break;
  }
  return Buffer.concat(pieces).subarray(0, length);
}

/** Returns the SHA-256 of a file. @throws ResourceError; ENOENT for a file that was deleted since */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    throw translateFileError(error);
  }
  return hash.digest('hex');
}

/** Returns the text that the parts make together. @throws MissingBlobError */
export async function textInput(texts: DocumentTexts, blobs: BlobStore, parts: readonly TextRef[]): Promise<TextInput> {
  const characters = charactersOf(parts);
  const encoding = parts.every(isUtf8) ? 'utf8' : 'utf16le';
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'blob' in only) {
    return { input: await blobInput(blobs, only.blob), encoding, characters };
  }
  for (const part of parts) if ('blob' in part) await openBlob(blobs, part.blob);
  async function* copy(): AsyncGenerator<Uint8Array> {
    for (const part of parts) {
      if (encoding === 'utf8' && 'blob' in part) yield* piecesOf(blobs, part.blob);
      else yield Buffer.from(await texts.read(part), encoding);
    }
  }
  return { input: { copy }, encoding, characters };
}

/** Length of the text in UTF-16 code units. */
export function charactersOf(parts: readonly TextRef[]): number {
  return parts.reduce((sum, part) => sum + textLength(part), 0);
}

/** UTF-8 cannot hold a lone surrogate; what contains one is kept in UTF-16, and so is what is joined with it. */
function isUtf8(part: TextRef): boolean {
  return 'inline' in part ? part.inline.isWellFormed() : part.blob.endsWith('.utf8');
}

async function* piecesOf(blobs: BlobStore, blob: string): AsyncGenerator<Uint8Array> {
  yield* await openBlob(blobs, blob);
}

async function openBlob(blobs: BlobStore, blob: string): Promise<AsyncIterable<Uint8Array>> {
  const pieces = await blobs.stream(blob);
  if (pieces === null) throw new MissingBlobError(`the blob ${blob} is gone`);
  return pieces;
}
