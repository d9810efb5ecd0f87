// Compiles apps/ and libs/ to dist/ with swc, by the settings of .swcrc and without a type check.
// Usage: node tools/build.mjs [FOLDER OF THE PROJECT]
import { glob, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { transformFile } from '@swc/core';

const root = resolve(process.argv[2] ?? dirname(import.meta.dirname));

/** Throws what swc says about a file that it cannot compile. */
async function compile(source) {
  const target = join(root, 'dist', source.replace(/\.ts$/, '.js'));
  const { code, map } = await transformFile(join(root, source), {
    cwd: root,
    root,
    sourceFileName: relative(dirname(target), join(root, source)),
  });
  const mapName = `${basename(target)}.map`;
  await mkdir(dirname(target), { recursive: true });
  await Promise.all([
    writeFile(target, `${code}\n//# sourceMappingURL=${mapName}\n`),
    writeFile(join(dirname(target), mapName), map),
  ]);
}

await rm(join(root, 'dist'), { recursive: true, force: true });
const sources = await Array.fromAsync(glob('{apps,libs}/**/*.ts', { cwd: root, exclude: ['**/*.spec.ts'] }));
await Promise.all(sources.map(compile));
