// Compiles apps/ and libs/ with swc, without a type check, into a folder of its own, unless there is a build of the same
// sources (docs/decisions/0078-a-build-has-a-folder-of-its-own.md).
// Usage: node tools/build.mjs [FOLDER OF THE PROJECT]
import { hash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, glob, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BUNDLED, currentBuild, lockBuild, lockFile, lockWholeBuild, MANIFEST } from '../bin/builds.js';
import { bundle } from './bundle.mjs';

/** The sources, and what the program reads from its own folder. */
const INPUTS = [
  '{apps,libs}/**/*.ts',
  'libs/**/*.{bin,wasm}',
  'package.json',
  'package-lock.json',
  'apps/server/openapi.json',
  'examples/*.*',
];
const NOT_COMPILED = ['**/*.spec.ts', '**/*.d.ts'];

/**
 * Makes a build of the present sources the newest one, and removes the builds that no process uses. Returns its name.
 * @param isBundled whether its programs are bundled, which takes a second and makes each start faster
 * @throws what swc says about a file that it cannot compile
 */
export async function build(root, { isBundled = true } = {}) {
  const dist = join(root, 'dist');
  await mkdir(dist, { recursive: true });
  const inputs = await readInputs(root);
  const { name, release } = equalBuild(dist, inputs.hash) ?? newBuild(dist, inputs.hash);
  try {
    if (!existsSync(join(dist, name, MANIFEST))) await fill(root, name, inputs);
    if (isBundled && !existsSync(join(dist, name, BUNDLED))) await bundle(join(dist, name));
    setCurrent(dist, name);
  } finally {
    release();
    await removeUnused(dist);
  }
  return name;
}

/** Reads all that a build depends on. The build is made from what was read, also if a file changes in the meantime. */
async function readInputs(root) {
  const paths = (await Array.fromAsync(glob(INPUTS, { cwd: root, exclude: NOT_COMPILED }))).sort();
  const contents = await Promise.all(paths.map((path) => readFile(join(root, path))));
  const digests = Object.fromEntries(paths.map((path, i) => [path, hash('sha256', contents[i])]));
  const require = createRequire(import.meta.url);
  const tools = [import.meta.filename, join(import.meta.dirname, 'bundle.mjs')];
  const settings = {
    ...{ compiler: require('@swc/core/package.json').version, bundler: require('esbuild/package.json').version },
    options: JSON.parse(await readFile(join(root, '.swcrc'), 'utf8')),
    tools: (await Promise.all(tools.map((path) => readFile(path)))).map((content) => hash('sha256', content)),
  };
  const all = hash('sha256', JSON.stringify({ settings, digests }));
  return { settings, digests, contents: new Map(paths.map((path, i) => [path, contents[i]])), hash: all.slice(0, 16) };
}

/** Returns a build of these inputs, locked, or null. */
function equalBuild(dist, inputsHash) {
  const names = [currentBuild(dist), ...lockedNames(dist)].filter((name) => name?.startsWith(inputsHash));
  for (const name of names) {
    const release = lockWholeBuild(dist, name);
    if (release !== null) return { name, release };
  }
  return null;
}

/** Returns a build without files, locked. */
function newBuild(dist, inputsHash) {
  for (;;) {
    const name = `${inputsHash}-${randomBytes(4).toString('hex')}`;
    writeFileSync(lockFile(dist, name), '', { flag: 'wx' });
    const release = lockBuild(dist, name);
    // Null: another process has removed the build before it was locked.
    if (release !== null) return { name, release };
  }
}

/** Compiles the sources. Of a source that the newest build has too, the compiled files are links to those of that build. */
async function fill(root, name, { settings, digests, contents }) {
  const dist = join(root, 'dist');
  const folder = join(dist, name);
  const current = currentBuild(dist);
  const release = current && lockWholeBuild(dist, current);
  try {
    const former = release ? JSON.parse(await readFile(join(dist, current, MANIFEST), 'utf8')) : null;
    const isCompiled = (path) =>
      former?.digests[path] === digests[path] && JSON.stringify(former.settings) === JSON.stringify(settings);
    await Promise.all(
      [...contents].map(async ([path, content]) => {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        if (!path.endsWith('.ts')) await writeFile(join(folder, path), content);
        else if (isCompiled(path)) await linkCompiled(join(dist, current), folder, path);
        else await compile(root, folder, path, content, settings.options);
      }),
    );
    await writeFile(join(folder, MANIFEST), JSON.stringify({ settings, digests }));
  } finally {
    if (release) release();
  }
}

async function compile(root, folder, path, content, options) {
  // Loaded only when there is something to compile.
  const { transform } = await import('@swc/core');
  const [target, map] = outputs(folder, path);
  const source = join(root, path);
  const compiled = await transform(content.toString(), {
    ...options,
    swcrc: false,
    cwd: root,
    filename: source,
    sourceFileName: relative(dirname(target), source),
  });
  await writeFile(target, `${compiled.code}\n//# sourceMappingURL=${basename(map)}\n`);
  await writeFile(map, compiled.map);
}

async function linkCompiled(former, folder, path) {
  const [from, to] = [outputs(former, path), outputs(folder, path)];
  // Copies where the file system has no links.
  await Promise.all(from.map((file, i) => link(file, to[i]).catch(() => copyFile(file, to[i]))));
}

/** Returns the compiled file and its source map. */
function outputs(folder, path) {
  const target = join(folder, path.replace(/\.ts$/, '.js'));
  return [target, `${target}.map`];
}

/** In one step: a reader finds the name before it or this one. */
function setCurrent(dist, name) {
  if (currentBuild(dist) === name) return;
  const file = join(dist, `current.${process.pid}`);
  writeFileSync(file, name);
  renameSync(file, join(dist, 'current'));
}

async function removeUnused(dist) {
  for (const name of lockedNames(dist)) {
    try {
      if (await removeFolder(dist, name)) rmSync(lockFile(dist, name), { force: true });
    } catch {
      // A process uses it, or a file cannot be deleted: a later build tries again.
    }
  }
}

/** Returns false, and removes nothing, if the build is the newest one. @throws Error if a process uses it */
async function removeFolder(dist, name) {
  const db = new DatabaseSync(lockFile(dist, name), { timeout: 0 });
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    if (name === currentBuild(dist)) return false;
    rmSync(join(dist, name, MANIFEST), { force: true });
    await rm(join(dist, name), { recursive: true, force: true });
    return true;
  } finally {
    db.close();
  }
}

/** Returns the names of all builds, also of those that are not whole. */
function lockedNames(dist) {
  return readdirSync(dist)
    .filter((file) => file.endsWith('.lock'))
    .map((file) => basename(file, '.lock'));
}

if (import.meta.main) await build(resolve(process.argv[2] ?? dirname(import.meta.dirname)));
