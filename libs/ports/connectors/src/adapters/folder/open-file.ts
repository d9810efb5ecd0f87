import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ItemUnreadableError } from '../../errors.ts';

/** Another one whenever a file may have another content. */
export const versionOf = ({ size, mtimeNs, ctimeNs }: BigIntStats): string => `${size}-${mtimeNs}-${ctimeNs}`;

/**
 * Opens a file to which no link leads.
 * @param root without links
 * @param path below it; parts are separated by "/"
 * @throws ItemUnreadableError
 */
export async function openFile(root: string, path: string): Promise<{ handle: FileHandle; status: BigIntStats }> {
  const full = join(root, ...path.split('/'));
  if (!full.startsWith(`${root}${sep}`)) throw new ItemUnreadableError(LINK);
  let handle: FileHandle | null = null;
  try {
    // Opening a pipe would wait for its writer.
    handle = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const [status, real, there] = await Promise.all([
      handle.stat({ bigint: true }),
      realpath(full),
      lstat(full, { bigint: true }),
    ]);
    // The folders above it may have been links when it was opened.
    if (status.isFile() && real === full && there.ino === status.ino && there.dev === status.dev)
      return { handle, status };
  } catch (error) {
    await handle?.close();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new ItemUnreadableError('It is no longer there.');
    if (code === 'ELOOP') throw new ItemUnreadableError(LINK);
    throw new ItemUnreadableError(`It cannot be opened (${code}).`, { cause: error });
  }
  await handle.close();
  throw new ItemUnreadableError(LINK);
}

const LINK = 'It is no file below the folder, or a link leads to it.';

/** Yields what is in the file, as long as it was when it was opened. @throws ItemUnreadableError if it changes meanwhile */
export async function* bytesOf(
  handle: FileHandle,
  before: BigIntStats,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (before.size > 0n) {
    yield* handle.createReadStream({ start: 0, end: Number(before.size) - 1, autoClose: false, signal });
  }
  const after = await handle.stat({ bigint: true });
  if (versionOf(after) !== versionOf(before)) throw new ItemUnreadableError('It was changed while it was read.');
}
