import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markersIn } from '../model/texts.ts';

const PIECE_BYTES = 1024 * 1024;
/** More than a marker has in UTF-16. */
const OVERLAP_BYTES = 32;
const CONTEXT_BYTES = 300;

/** Returns the markers in the files of a folder, in UTF-8 or UTF-16, each with a file that holds it. */
export async function markersInFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const markers = new Map<string, string>();
  for (const path of await filesIn(folder)) {
    for (const marker of await markersInFile(path)) markers.set(marker, path);
  }
  return markers;
}

/** Returns the bytes before a marker as text: in a file of NATS, the name of the record. */
export async function beforeMarker(path: string, marker: string): Promise<string> {
  const bytes = (await readFile(path, 'latin1')).replaceAll('\0', '');
  const at = bytes.indexOf(marker);
  return bytes.slice(Math.max(0, at - CONTEXT_BYTES), at).replace(/[^ -~]+/g, '·');
}

async function markersInFile(path: string): Promise<ReadonlySet<string>> {
  const markers = new Set<string>();
  let rest = '';
  try {
    for await (const piece of createReadStream(path, { encoding: 'latin1', highWaterMark: PIECE_BYTES })) {
      const bytes: string = rest + piece;
      // Without the zero bytes, Latin letters in UTF-16 are the same as in UTF-8.
      for (const marker of markersIn(bytes.replaceAll('\0', ''))) markers.add(marker);
      rest = bytes.slice(-OVERLAP_BYTES);
    }
  } catch (error) {
    // A temporary file may be removed before it is read.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return markers;
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
