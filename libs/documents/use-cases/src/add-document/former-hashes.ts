import { createReadStream } from 'node:fs';
import type { FileRef } from '#documents';
import { contentHash, contentHashOf, translateFileError } from '#kernel';
import type { NewDocument, UploadedFile } from './add-document.command.ts';

/**
 * Earlier versions hashed a file as the JSON of its Latin-1 text. Their blobs keep these names, and their fingerprints are
 * in the log. Such a hash takes a second for 50 MB, and is computed piece by piece, only where one is there to compare with.
 */
const FORMER_NAME = /([0-9a-f]{64})\.file$/;

/** Whether an earlier version stored the same bytes. @throws ResourceError */
export async function isFormerBlobOf(stored: FileRef, sent: UploadedFile): Promise<boolean> {
  const name = FORMER_NAME.exec(stored.blob)?.[1];
  if (name === undefined || stored.bytes !== sent.size) return false;
  return name === (await contentHashOf([piecesOf(sent)]));
}

/**
 * Whether an earlier version gave this fingerprint to the upload of a file; it did not count the name and the types of the
 * file. @throws ResourceError
 */
export async function isFormerFingerprint(fingerprint: string, document: NewDocument, key: string): Promise<boolean> {
  const { content, ...details } = document;
  if (typeof content === 'string') return false;
  const stated = JSON.stringify(details);
  if (fingerprint === contentHash(key, 'file', content.sha256, stated)) return true;
  return fingerprint === (await contentHashOf([key, piecesOf(content), stated]));
}

async function* piecesOf({ path }: UploadedFile): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw translateFileError(error);
  }
}
