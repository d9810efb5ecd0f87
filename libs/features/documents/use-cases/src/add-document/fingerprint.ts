import { contentHashOf } from '#platform/kernel';
import type { NewDocument } from './add-document.command.ts';

/**
 * Distinguishes requests with the same Idempotency-Key. It outlives the document, so the key, of which only a hash is
 * stored, is part of it: the files alone are not enough to test guesses of the content.
 */
export function fingerprintOf(document: NewDocument, key: string): Promise<string> {
  const { content, ...details } = document;
  if (typeof content === 'string') return contentHashOf([key, content, JSON.stringify(details)]);
  const { path: _, sha256, ...file } = content;
  return contentHashOf([key, 'file', sha256, JSON.stringify(details), JSON.stringify(file)]);
}
