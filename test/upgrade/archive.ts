import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Path and length of each file, in the order of their bytes. */
type Contents = readonly (readonly [path: string, bytes: number])[];

/** The same vectors are in several files of a state: the window spans all of them. */
const PARAMS = {
  [constants.ZSTD_c_compressionLevel]: 19,
  [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  [constants.ZSTD_c_windowLog]: 27,
};

/** Writes the files of a folder into one file: a line of JSON that lists them, then their bytes, compressed by Zstandard. */
export async function pack(folder: string, file: string, isKept: (path: string) => boolean = () => true) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter(isKept)
    .sort();
  const contents: [string, number][] = [];
  const parts: Buffer[] = [];
  for (const path of paths) {
    const bytes = await readFile(join(folder, path));
    contents.push([path, bytes.length]);
    parts.push(bytes);
  }
  const packed = Buffer.concat([Buffer.from(`${JSON.stringify(contents)}\n`), ...parts]);
  await writeFile(file, zstdCompressSync(packed, { params: PARAMS }));
}

/** Writes the files of an archive into a folder. */
export async function unpack(file: string, folder: string): Promise<void> {
  const packed = zstdDecompressSync(await readFile(file), { params: { [constants.ZSTD_d_windowLogMax]: 27 } });
  const end = packed.indexOf('\n');
  let at = end + 1;
  for (const [path, bytes] of JSON.parse(packed.toString('utf8', 0, end)) as Contents) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), packed.subarray(at, at + bytes));
    at += bytes;
  }
}
