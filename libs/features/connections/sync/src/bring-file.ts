import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Scratch } from '#platform/kernel';
import { ItemUnreadableError, type SourceContent, type SourceItem } from '#ports/connectors';
import type { BroughtFile } from './options.ts';

/**
 * Writes the content of an item to a temporary file, calls `use`, and removes the file in every case. A text is a file, too.
 * @throws ItemUnreadableError for content that is empty or too large; as `Scratch.copy`, and as `use`
 */
export async function withFile<T>(
  item: SourceItem,
  content: SourceContent,
  { scratch, maxBytes, signal }: { readonly scratch: Scratch; readonly maxBytes: number; readonly signal: AbortSignal },
  use: (file: BroughtFile) => Promise<T>,
): Promise<T> {
  const path = scratch.newPath();
  const hash = createHash('sha256');
  let size = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const piece of 'text' in content ? [Buffer.from(content.text)] : content.body) {
      size += piece.length;
      if (size > maxBytes) throw new ItemUnreadableError(`it is larger than ${maxBytes} bytes`);
      hash.update(piece);
      yield piece;
    }
    if (size === 0) throw new ItemUnreadableError('it is empty');
  }
  try {
    await scratch.copy(path, measured(), signal);
    const named = 'text' in content ? { name: item.title, contentType: 'text/markdown' } : content;
    const { name, contentType } = named;
    return await use({ path, size, sha256: hash.digest('hex'), name, contentType, type: content.type });
  } finally {
    await rm(path, { force: true });
  }
}
