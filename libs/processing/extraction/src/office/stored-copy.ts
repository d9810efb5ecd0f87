import type { Zip } from '../zip.ts';

/**
 * Returns a container with files of the same names as in another one, not packed, for a reader that unpacks without limits.
 * @param content of a file; null: it is left out
 * @throws ExtractionError
 */
export async function storedCopy(zip: Zip, content: (name: string) => Uint8Array | null): Promise<Buffer> {
  const { zipSync } = await import('fflate');
  const files: Record<string, Uint8Array> = {};
  for (const name of zip.names) {
    const bytes = content(name);
    if (bytes !== null) files[name] = bytes;
  }
  return Buffer.from(zipSync(files, { level: 0 }));
}
