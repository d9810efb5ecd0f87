import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, open, opendir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { absentAsNull, isAbsent, translateFileError } from '#platform/kernel';
import { BlobInterruptedError } from '../../port.ts';

const PIECE_BYTES = 64 * 1024;

/** Errors of `link` on another file system, on one without hard links, and for a file with too many names. */
const NOT_LINKED = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** A blob as a file. It may be deleted before it is read. */
export interface BlobFile {
  readonly key: string;
  readonly path: string;
}

export async function* pieces(key: string, path: string, from: number): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((error) => {
    if (!isAbsent(error)) throw translateFileError(error);
    throw new BlobInterruptedError(`Blob ${key} was deleted before it was read`, { cause: error });
  });
  try {
    for (let position = from; ; position += PIECE_BYTES) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, position);
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      if (bytesRead < PIECE_BYTES) return;
    }
  } catch (error) {
    throw translateFileError(error);
  } finally {
    await file.close();
  }
}

export async function writeSynced(path: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<number> {
  const handle = await open(path, 'wx');
  try {
    const length = await write(handle, bytes);
    await handle.sync();
    return length;
  } finally {
    await handle.close();
  }
}

/** Gives a file a second name, or copies it where that is not possible. */
export async function linkSynced(path: string, file: string): Promise<number> {
  try {
    await link(file, path);
  } catch (error) {
    if (!NOT_LINKED.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await copyFile(file, path, constants.COPYFILE_EXCL);
  }
  // Some systems sync only what is open for writing.
  await using handle = await open(path, 'r+');
  await handle.sync();
  return (await handle.stat()).size;
}

async function write(handle: FileHandle, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<number> {
  if (!(Symbol.asyncIterator in bytes)) {
    await handle.writeFile(bytes);
    return bytes.length;
  }
  let length = 0;
  for await (const chunk of bytes) {
    await handle.writeFile(chunk);
    length += chunk.length;
  }
  return length;
}

export async function* filesIn(folder: string): AsyncGenerator<BlobFile> {
  for await (const organization of foldersIn(folder)) {
    for await (const document of foldersIn(join(folder, organization))) {
      const path = join(folder, organization, document);
      const names = (await readdir(path).catch(absentAsNull)) ?? [];
      for (const name of names) yield { key: `${organization}/${document}/${name}`, path: join(path, name) };
    }
  }
}

/** Yields the names of the folders in a folder, or none if it does not exist. Reads a few at a time: there may be very many. */
export async function* foldersIn(path: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(path)) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) yield entry.name;
    }
  } catch (error) {
    if (!isAbsent(error)) throw translateFileError(error);
  }
}

/**
 * Removes what has not changed since a time. A file that is given a second name changes with it.
 * @throws the first error, after the others were removed
 */
export async function removeOlder(folder: string, before: number, signal: AbortSignal): Promise<void> {
  const errors: unknown[] = [];
  for (const name of await readdir(folder)) {
    if (signal.aborted) return;
    try {
      const path = join(folder, name);
      if ((await stat(path)).ctimeMs <= before) await rm(path, { recursive: true, force: true });
    } catch (error) {
      if (!isAbsent(error)) errors.push(error);
    }
  }
  if (errors.length > 0) throw translateFileError(errors[0]);
}
