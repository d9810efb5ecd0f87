// Joins the compiled modules of a build into few files, because most of the time of a start goes into loading modules
// (docs/decisions/0109-a-program-is-started-from-few-files.md).
import { existsSync } from 'node:fs';
import { cp, glob, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { BUNDLED } from '../bin/builds.js';

/** Programs, threads and child processes: what is started by its path. */
const STARTED = ['apps/*/src/main.js', '**/*.{worker,child}.js'];
/** What modules read from beside them. */
const READ = ['libs/**/*.{bin,wasm}'];
/** The packages that most starts load. What they import is joined with them. */
const JOINED =
  /^(@nestjs\/(common|core|cqrs|microservices|platform-fastify)|@fastify\/multipart|commander|iconv-lite|ipaddr\.js|lru-cache|p-limit|p-retry|rate-limiter-flexible|rxjs)(\/|$)/;
/** Imported by those and not joined: starts threads by their paths, must be loaded first, is loaded in parts. */
const APART = /^(pino|reflect-metadata|class-validator)(\/|$)/;

/** Writes the folder `bundled` of a build, in one step, unless it is there. */
export async function bundle(build) {
  const paths = await Array.fromAsync(glob(STARTED, { cwd: build, exclude: [BUNDLED] }));
  // Loaded only when there is something to bundle.
  const esbuild = await import('esbuild');
  const folder = await mkdtemp(join(build, 'bundling-'));
  try {
    await esbuild.build({
      ...{ entryPoints: paths.map((path) => join(build, path)), outbase: build, outdir: folder },
      ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', banner: { js: REQUIRE } },
      ...{ chunkNames: 'chunks/[name]-[hash]', sourcemap: true, sourcesContent: false, logLevel: 'silent' },
      plugins: [
        { name: 'packages', setup: packages },
        { name: 'modules-of-the-build', setup: (plugin) => modulesOf(build, plugin) },
      ],
    });
    for (const path of await Array.fromAsync(glob(READ, { cwd: build })))
      await cp(join(build, path), join(folder, path));
    await rename(folder, join(build, BUNDLED));
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(join(build, BUNDLED))) throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function modulesOf(build, plugin) {
  plugin.onResolve({ filter: /^#build-root$/ }, () => ({ path: 'root', namespace: 'build' }));
  plugin.onResolve({ filter: /^#/ }, ({ path }) => ({ path: join(build, 'libs', path.slice(1), 'src/index.js') }));
  plugin.onLoad({ filter: /^root$/, namespace: 'build' }, () => ({ contents: ROOT }));
  plugin.onLoad({ filter: /\.js$/ }, async ({ path }) => {
    const code = await readFile(path, 'utf8');
    if (PLACE.test(code)) throw new Error(`${relative(build, path)} may name its place by import.meta.url only.`);
    return code.includes(ADDRESS) ? { contents: withAddress(code, relative(build, path)) } : null;
  });
}

function packages(plugin) {
  plugin.onResolve({ filter: /^[\w@]/ }, ({ path, importer }) => {
    const isOfPackage = importer.includes(PACKAGES);
    const isJoined = isOfPackage ? !APART.test(path) && isInstalled(path, importer) : JOINED.test(path);
    return isJoined ? null : { path, external: true };
  });
  plugin.onLoad({ filter: /\/node_modules\/.*js$/ }, async ({ path }) => {
    const code = await readFile(path, 'utf8');
    if (PLACE_OF_PACKAGE.test(code)) throw new Error(`${path} looks beside itself, so its package cannot be joined.`);
    return { contents: code };
  });
}

const PACKAGES = '/node_modules/';
const PLACE_OF_PACKAGE = /\b__(dirname|filename)\b/;

/** Packages look for others that they can do without. */
function isInstalled(path, importer) {
  try {
    createRequire(importer).resolve(path);
    return true;
  } catch {
    return false;
  }
}

/** Packages in the older form of modules load parts of Node with it. */
const REQUIRE = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);`;

/** The build's package.json, from any file of the bundle. */
const ROOT = `import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
export const root = pathToFileURL(findPackageJSON(import.meta.url));`;

const PLACE = /\bimport\.meta\.(dirname|filename)\b/;
const ADDRESS = 'import.meta.url';

/** A module finds what lies beside it by its address, which is that of its place among the sources. */
function withAddress(code, path) {
  const address = `new URL(${JSON.stringify(`${BUNDLED}/${path}`)}, __buildRoot).href`;
  return `import { root as __buildRoot } from '#build-root';const __address = ${address};${code.replaceAll(ADDRESS, '__address')}`;
}
