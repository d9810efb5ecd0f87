// `npm run check [NAME]`: runs every static check, or the named one; `npm run quick` runs the fast tests beside them. The tools
// are packages of this folder, which the first run installs; so `npm install && npm start` does not wait for them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;
const root = join(folder, '../..');
const tool = (path, ...args) => [process.execPath, join(folder, 'node_modules', path), ...args];
const biome = (...args) => tool('@biomejs/biome/bin/biome', ...args);

/** The program and arguments of each check. */
const CHECKS = {
  types: tool('typescript7/bin/tsc', '--noEmit', '-p', 'tsconfig.json'),
  lint: biome('check', '.'),
  openapi: [process.execPath, join(folder, 'lint-openapi.mjs')],
  imports: tool('dependency-cruiser/bin/dependency-cruiser.mjs', '--config', '.dependency-cruiser.mjs', 'apps', 'libs'),
  unused: tool('knip/bin/knip.js'),
};
const TESTS = ['npm', 'run', 'test:fast'];
const ALL = Object.values(CHECKS);
/** What each name runs at the same time. `format` changes the code, so it is no check. */
const COMMANDS = {
  ...Object.fromEntries(Object.entries(CHECKS).map(([name, command]) => [name, [command]])),
  format: [biome('check', '--write', '.')],
  quick: [TESTS, ...ALL],
};

const [name, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (name !== undefined && !Object.hasOwn(COMMANDS, name))) {
  console.error(`Give one of ${Object.keys(COMMANDS).join(', ')}, or nothing for all checks.`);
  process.exit(2);
}
installTools();
const codes = await Promise.all((name === undefined ? ALL : COMMANDS[name]).map(codeOf));
process.exitCode = Math.max(...codes);

/** Does nothing if what the lock file names has been installed. */
function installTools() {
  const lockFile = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules', 'installed-lock.json');
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lockFile))) return;
  console.log('Installing the tools of the checks.');
  const { status } = spawnSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  copyFileSync(lockFile, installed);
}

/** Runs a check and prints what it says when it has ended, because others run at the same time. */
async function codeOf([program, ...args]) {
  const check = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const output of [check.stdout, check.stderr]) output.on('data', (piece) => said.push(piece));
  const [code] = await once(check, 'close');
  process.stdout.write(Buffer.concat(said));
  return code ?? 1;
}
