import { createReadStream } from 'node:fs';
import type { FileRef } from '#documents';
import { contentHashOf, translateFileError } from '#kernel';
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

/** The fingerprint that an earlier version gave to the upload of a file. Null: not a file. @throws ResourceError */
export async function formerFingerprintOf(document: NewDocument, key: string): Promise<string | null> {
  const { content, ...details } = document;
  return typeof content === 'string' ? null : contentHashOf([key, piecesOf(content), JSON.stringify(details)]);
}

async function* piecesOf({ path }: UploadedFile): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw translateFileError(error);
  }
}
