// The builds in dist/: a folder NAME with a build, a file NAME.lock that the processes which use it lock, and a file `current`
// with the name of the newest one. A name is never used again. Another process can remove any build but the newest at any
// time, unless its file is locked.
import { existsSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** For the removal of a build by another process. Milliseconds. */
const REMOVAL_WAIT = 30_000;

/** Lists what the build was made from. It is written last and deleted first, so a build that has it is whole. */
export const MANIFEST = 'manifest.json';

/** A folder of a build with its programs in few files; their paths are the same as in the build. */
export const BUNDLED = 'bundled';

/** A folder of a build where Node keeps compiled code for later starts. */
const COMPILED = 'compiled';

export const lockFile = (dist, name) => join(dist, `${name}.lock`);

/** Returns the name of the newest build, or null if there is none. */
export function currentBuild(dist) {
  const file = join(dist, 'current');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** Referenced for as long as they are open, because garbage collection closes a connection. */
const connections = new Set();

/**
 * Locks a build against removal until the returned function is called or the process ends. The lock is an open transaction,
 * so the operating system releases it when the process ends. Returns null if there is no such lock file.
 */
export function lockBuild(dist, name) {
  const file = lockFile(dist, name);
  if (!existsSync(file)) return null;
  let db;
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: REMOVAL_WAIT });
    db.exec('BEGIN; SELECT 1 FROM sqlite_master');
  } catch (error) {
    db?.close();
    if (!existsSync(file)) return null;
    throw error;
  }
  connections.add(db);
  return () => {
    connections.delete(db);
    db.close();
  };
}

/** Like `lockBuild`, for a whole build: returns null if it is not there, or only a part of it. */
export function lockWholeBuild(dist, name) {
  const release = lockBuild(dist, name);
  if (release === null || existsSync(join(dist, name, MANIFEST))) return release;
  release();
  return null;
}

/** Runs a program of the newest build, bundled if the build has it so. The build is not removed before this process ends. */
export async function runBuilt(module) {
  const dist = join(root, 'dist');
  let name = currentBuild(dist);
  while (name !== null && lockWholeBuild(dist, name) === null) {
    // It was removed because there is a newer one.
    const newer = currentBuild(dist);
    name = newer === name ? null : newer;
  }
  if (name === null) {
    console.error(`Mneme is not built. Run "npm run build" in ${root} first.`);
    process.exit(1);
  }
  process.env.NODE_COMPILE_CACHE ??= join(dist, name, COMPILED);
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  // Errors name the lines of the sources.
  process.setSourceMapsEnabled(true);
  const bundled = join(dist, name, BUNDLED, module);
  await import(pathToFileURL(existsSync(bundled) ? bundled : join(dist, name, module)).href);
}
