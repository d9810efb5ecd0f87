import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { absentAsNull } from '#platform/kernel';
import type { BackupFile } from './manifest.ts';

const COPIED_AT_ONCE = 8;

/**
 * Copies a file and syncs it to the disk.
 * @returns null, with nothing written, if the source does not exist
 */
export async function copyFile(from: string, to: string): Promise<Pick<BackupFile, 'bytes' | 'sha256'> | null> {
  const source = await open(from).catch(absentAsNull);
  if (source === null) return null;
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      for await (const piece of source.createReadStream({ autoClose: false })) {
        hash.update(piece as Buffer);
        bytes += (piece as Buffer).length;
        await target.writeFile(piece as Buffer);
      }
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Handles the items of an iteration, several at a time. After an error no other item begins; those that have begun end. */
export async function forEach<T>(items: AsyncGenerator<T>, handle: (item: T) => Promise<void>): Promise<void> {
  const handleNext = async () => {
    // The generator queues calls, so each item goes to one of the loops.
    for await (const item of items) await handle(item);
  };
  const loops = await Promise.allSettled(Array.from({ length: COPIED_AT_ONCE }, handleNext));
  for (const loop of loops) if (loop.status === 'rejected') throw loop.reason;
}
