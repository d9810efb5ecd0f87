#!/usr/bin/env node
// Runs the built command-line program on this Node or, if it is too old, on the one in the project's dependencies.
// Also runs on old versions of Node, to print a clear error there.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const file = fileURLToPath(import.meta.url);

function stop(message) {
  console.error(message);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  const { runBuilt } = await import('./builds.js');
  await runBuilt('apps/cli/src/main.js');
} else {
  const root = dirname(dirname(file));
  const node = join(root, 'node_modules', '.bin', 'node');
  if (!existsSync(node)) {
    stop(`Mneme needs Node ${NEEDED}; this is ${process.version}. Run "npm install" in ${root} to install it.`);
  }
  const { status, signal, error } = spawnSync(node, [file, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (error) stop(`${node} cannot be started: ${error.message}`);
  if (signal) process.kill(process.pid, signal);
  process.exit(status === null ? 1 : status);
}
