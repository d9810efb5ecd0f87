import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '#platform/config';
import { checkFolders } from './check-folders.ts';

test('the start refuses folders that are not there, in one sentence', async () => {
  const base = await mkdtemp(join(tmpdir(), 'mneme-folders-'));
  const check = (path: string) =>
    checkFolders(loadConfig({ MNEME_FOLDERS: JSON.stringify([{ name: 'notes', path }]) }).config);
  await writeFile(join(base, 'file'), '');
  await symlink(base, join(base, 'link'));
  check(base);
  check(join(base, 'link'));
  expect(() => check(join(base, 'gone'))).toThrow(`MNEME_FOLDERS names ${base}/gone as notes, which does not exist.`);
  expect(() => check(join(base, 'file'))).toThrow(`MNEME_FOLDERS names ${base}/file as notes, which is no folder.`);
  await rm(base, { recursive: true });
});
