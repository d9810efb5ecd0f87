import { contentHashOf } from '#kernel';
import type { NewDocument } from './add-document.command.ts';
import { uploadPieces } from './upload-pieces.ts';

/**
 * Distinguishes requests with the same Idempotency-Key. It outlives the document, so the key, of which only a hash is
 * stored, is part of it: the files alone are not enough to test guesses of the content.
 */
export async function fingerprintOf(document: NewDocument, key: string): Promise<string> {
  const { content, ...details } = document;
  const sent = typeof content === 'string' ? content : uploadPieces(content.path);
  return contentHashOf([key, sent, JSON.stringify(details)]);
}
