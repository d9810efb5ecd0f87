import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { detectKind, extractDocument } from '../index.ts';

const FIXTURES = join(import.meta.dirname, '../../../../../test/fixtures');

/** Reads bytes as an upload with this name is read. */
export async function readUpload(body: Buffer, fileName: string) {
  const detected = await detectKind({ bytes: body, fileName, contentType: null });
  if (!('kind' in detected)) throw new Error(detected.unsupported);
  const { kind } = detected;
  return { ...(await extractDocument({ body, kind, fileName: null, documentDate: null })), kind };
}

/** Reads an input of `test/fixtures`. */
export const readFixture = (folder: string, fileName: string) =>
  readUpload(readFileSync(join(FIXTURES, folder, fileName)), fileName);
