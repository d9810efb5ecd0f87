#!/usr/bin/env node
// Runs the built command-line program on this Node or, if it is too old, on the one in the project's dependencies.
// Also runs on old versions of Node, to print a clear error there.
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

/** Returns the path of the npm package `node`'s program, or null. */
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
    stop(`Mneme needs Node ${NEEDED}; this is ${process.version}. Run "npm install" in ${root} to install it.`);
  const { status, signal, error } = spawnSync(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (error) stop(`${node} cannot be started: ${error.message}`);
  if (signal) process.kill(process.pid, signal);
  process.exit(status === null ? 1 : status);
}
