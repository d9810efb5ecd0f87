import { contentHash } from '#kernel';
import type { NewDocument } from './add-document.command.ts';
import { readUpload } from './read-upload.ts';

/**
 * Distinguishes requests with the same Idempotency-Key. It outlives the document, so the key, of which only a hash is
 * stored, is part of it: the files alone are not enough to test guesses of the content.
 */
export async function fingerprintOf(document: NewDocument, key: string): Promise<string> {
  const { content, ...details } = document;
  const text = typeof content === 'string' ? content : (await readUpload(content.path)).toString('latin1');
  return contentHash(key, text, JSON.stringify(details));
}
