// `npm run dev`: runs the server, and restarts it when a change of the sources gives another build. A change that cannot be
// compiled is reported, and the server goes on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { watch } from 'chokidar';
import { build } from './build.mjs';

const root = dirname(import.meta.dirname);
const WATCHED = ['apps', 'libs', 'examples', 'package.json', '.swcrc'];
/** An editor that saves several files makes several changes. Milliseconds. */
const QUIET_MS = 50;
/** What the server has not ended by then continues at its next start. Milliseconds. */
const STOP_MS = 1_000;

let server = null;
let running = null;

async function update() {
  try {
    // What is started once is not worth bundling.
    const name = await build(root, { isBundled: false });
    if (name === running) return;
    if (running !== null) console.log('The sources have changed. The server restarts.');
    await stop();
    server = start();
    running = name;
  } catch (error) {
    console.error(error.message);
  }
}

function start() {
  const args = ['--disable-warning=ExperimentalWarning', 'bin/run.js', 'apps/server/src/main.js'];
  const started = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  started.on('exit', () => {
    if (server === started) console.log('The server has ended. It starts again after the next change of the sources.');
  });
  return started;
}

async function stop() {
  const stopped = server;
  server = null;
  if (stopped === null || stopped.exitCode !== null || stopped.signalCode !== null) return;
  const ended = once(stopped, 'exit');
  const timer = setTimeout(() => stopped.kill('SIGKILL'), STOP_MS);
  stopped.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop().then(() => process.exit(0)));

let updates = update();
let timer;
function updateSoon() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    updates = updates.then(update);
  }, QUIET_MS);
}
// When the watcher is ready, the first build may lack changes that it has not seen.
watch(WATCHED, { cwd: root, ignoreInitial: true }).on('ready', updateSoon).on('all', updateSoon);
