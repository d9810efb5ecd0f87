import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markersInFiles } from './files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-markers-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('markers are found in UTF-8, in UTF-16, in folders, and across the pieces in which a file is read', async () => {
  await mkdir(join(folder, 'inner'));
  await writeFile(join(folder, 'inner', 'utf-8'), Buffer.from('\0\u0001zqabbbb7 kettle'));
  await writeFile(join(folder, 'utf-16'), Buffer.from('The zqbbbbc7 kettle', 'utf16le'));
  await writeFile(join(folder, 'long'), `${'x'.repeat(1024 * 1024 - 3)}zqcbbbd7 kettle`);
  await writeFile(join(folder, 'none'), 'zqabbb kettle');
  expect(await markersInFiles(folder)).toEqual(
    new Map([
      ['zqabbbb7', join(folder, 'inner', 'utf-8')],
      ['zqbbbbc7', join(folder, 'utf-16')],
      ['zqcbbbd7', join(folder, 'long')],
    ]),
  );
});
