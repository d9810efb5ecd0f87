import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '#ports/blobs';
import { DocumentTexts } from './texts.ts';

/** Reads what it is given after some work of its own, as a store does that makes a folder first. */
const blobs = {
  async put(_: string, bytes: AsyncIterable<Uint8Array>) {
    for (let i = 0; i < 10; i++) await stat(tmpdir());
    for await (const _piece of bytes);
  },
} as unknown as BlobStore;

test('a written text or list that is gone is refused, and does not end the process', async () => {
  const texts = new DocumentTexts(blobs);
  const path = join(tmpdir(), 'mneme-no-such-file');
  const text = texts.storeWritten('org', 'doc', path, { characters: 100_000, hash: 'a' });
  await expect(text).rejects.toThrow('ENOENT');
  const written = { bytes: 100_000, length: 1_000, hash: 'a' };
  await expect(texts.storeWrittenList('org', 'doc', { path, start: 0 }, written)).rejects.toThrow('ENOENT');
});
