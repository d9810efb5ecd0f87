#!/usr/bin/env node
// Runs in place of `node` at `nest start`, as nest-cli.json says, with the options for Node and the module in dist/nest that
// it would run. The next `nest build` writes into dist/nest, so this program runs the build of the same sources.
import { dirname, join, relative } from 'node:path';
import { build } from './build.mjs';

const root = dirname(import.meta.dirname);
const given = process.argv.slice(2);
const at = given.findIndex((one) => !one.startsWith('-'));
const module = `${relative(join(root, 'dist/nest'), given[at])}.js`;

await build(root);
process.execve(process.execPath, [
  process.execPath,
  ...given.slice(0, at),
  join(root, 'bin/run.js'),
  module,
  ...given.slice(at + 1),
]);
