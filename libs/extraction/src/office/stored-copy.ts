import type { Zip } from '../zip.ts';

/**
 * Returns a container with some files of another one, not packed, for a reader that unpacks without limits.
 * @throws ExtractionError
 */
export async function storedCopy(zip: Zip, isWanted: (name: string) => boolean): Promise<Buffer> {
  const { zipSync } = await import('fflate');
  const files: Record<string, Uint8Array> = {};
  for (const name of zip.names) {
    const bytes = isWanted(name) ? zip.read(name) : null;
    if (bytes !== null) files[name] = bytes;
  }
  return Buffer.from(zipSync(files, { level: 0 }));
}
