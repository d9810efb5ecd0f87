import { open } from 'node:fs/promises';

/** Makes the entries of a folder durable: files that were created, renamed or removed in it. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
