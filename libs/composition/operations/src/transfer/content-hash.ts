import { createHash } from 'node:crypto';
import { type DocumentTexts, type Live, MissingBlobError } from '#features/documents';
import { contentHash } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';

/**
 * Hash of what a caller sent as content: of the bytes of the file and of the text. Equal in every installation.
 * @throws MissingBlobError
 */
export async function contentHashOf(document: Live, texts: DocumentTexts, blobs: BlobStore): Promise<string> {
  const { content } = document;
  const file = 'file' in content ? await hashOfBlob(blobs, content.file.blob) : '';
  return contentHash(file, (await texts.content(document)) ?? ('page' in content ? content.page : ''));
}

async function hashOfBlob(blobs: BlobStore, key: string): Promise<string> {
  const pieces = await blobs.stream(key);
  if (pieces === null) throw new MissingBlobError(`the blob ${key} is gone`);
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}
