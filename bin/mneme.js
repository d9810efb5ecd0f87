#!/usr/bin/env node
// Starts the built command-line program on a Node that can run it: this one, or the one in the project's dependencies.
// Written for old versions of Node too, so that what is missing is said in a sentence.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NEEDED = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'dist', 'apps', 'cli', 'src', 'main.js');

function stop(message) {
  console.error(message);
  process.exit(1);
}

/** The Node that the npm package `node` brought, or null. */
function bundledNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    return [join(folder, 'bin', 'node'), join(folder, 'bin', 'node.exe')].find(existsSync) || null;
  } catch {
    return null;
  }
}

if (!existsSync(main)) stop(`Mneme is not built. Run "npm run build" in ${root} first.`);

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  await import(pathToFileURL(main).href);
} else {
  const node = bundledNode();
  if (!node)
    stop(`Mneme needs Node ${NEEDED}; this is ${process.version}. Run "npm install" in ${root}, which brings it.`);
  const { status, signal, error } = spawnSync(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (error) stop(`${node} cannot be started: ${error.message}`);
  if (signal) process.kill(process.pid, signal);
  process.exit(status === null ? 1 : status);
}
