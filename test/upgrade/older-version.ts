import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');

/** The version that wrote the states in this folder. */
export const OLDER_COMMIT = '5ebe19ab1496d025d343159297b9ff366c5393d0';

/** An older version of the program, built from the history of this repository with the packages of this checkout. */
export interface OlderVersion {
  readonly root: string;
  remove(): Promise<void>;
}

/** Null: the history of this clone does not reach back to the commit. */
export async function olderVersion(): Promise<OlderVersion | null> {
  const isThere = await run('git', ['cat-file', '-e', `${OLDER_COMMIT}^{commit}`], { cwd: ROOT }).then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  const root = await mkdtemp(join(tmpdir(), 'mneme-older-'));
  const remove = () => rm(root, { recursive: true, force: true });
  try {
    await run('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', OLDER_COMMIT, root], { cwd: ROOT });
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    // By this version's script: that version's own needs a package that this one does not install.
    await run(process.execPath, [join(ROOT, 'tools', 'build.mjs'), root]);
    // That version looks for its code in dist itself.
    const dist = join(root, 'dist');
    const name = await readFile(join(dist, 'current'), 'utf8');
    for (const part of ['apps', 'libs']) await rename(join(dist, name, part), join(dist, part));
    return { root, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
