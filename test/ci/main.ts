import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineSuites } from '../engines/engine-suites.ts';
import { alone, type JestRun, runJest } from './jest-run.ts';
import { failureReport, longestReport, type Results, withReruns } from './results.ts';

/**
 * Makes the checks of `.ci/run` after the installation. The embedded tests, the tests on real engines and the static checks run
 * at the same time, because many suites wait much of the time. When all have ended, each suite that failed is repeated while no
 * other runs. The last line has the totals.
 */
const step = (name: string): void => console.log(`== ${name}`);

/** What has ended, with the seconds since the build began. */
const ended: string[] = [];
async function timed<T>(name: string, work: Promise<T>): Promise<T> {
  const result = await work;
  ended.push(`${name} after ${Math.round(process.uptime())} s`);
  return result;
}

const temporary = await mkdtemp(join(tmpdir(), 'mneme-ci-'));
// The suites start some hundred processes of the same code.
process.env.NODE_COMPILE_CACHE = join(temporary, 'compiled');

await using engineLog = await open(join(temporary, 'engines.log'), 'w');
await using checkLog = await open(join(temporary, 'check.log'), 'w');
await exitCodeOf('npm', ['run', 'build']);

let isChecked: boolean;
let all: readonly Results[];
const engines = EngineSuites.start();
try {
  const check = timed('checks', exitCodeOf('nice', ['npm', 'run', 'check'], checkLog.fd));
  const onEngines = timed('engine tests', engines.then((suites) => suites.run('', [], engineLog.fd)).catch(broken));
  step('npm test');
  const embedded = await timed('embedded tests', runJest({ program: 'npm', args: ['test', '--'] }));
  step('npm run check');
  isChecked = (await check) === 0;
  console.log(await readFile(join(temporary, 'check.log'), 'utf8'));
  step('npm run test:engines');
  const first = await onEngines;
  console.log(await readFile(join(temporary, 'engines.log'), 'utf8'));
  all = [
    await withReruns(embedded, (suite) =>
      runJest({ program: process.execPath, args: ['--run', 'test', '--', ...alone(suite)] }),
    ),
    await withReruns(first, async (suite) => (await engines).again(suite)),
  ];
} finally {
  await engines.then((suites) => suites.stop()).catch(() => undefined);
  await rm(temporary, { recursive: true, force: true });
}

const sum = (count: 'passed' | 'failed' | 'skipped') => all.reduce((total, results) => total + results[count], 0);
const failed = sum('failed') + (isChecked ? 0 : 1);
if (!isChecked) console.log('FAILED: npm run check');
console.log(`ended: ${ended.join(', ')}, everything after ${Math.round(process.uptime())} s`);
console.log(longestReport(all.flatMap(({ suites }) => suites)));
for (const report of [
  failureReport(
    'flaky',
    all.flatMap(({ flaky }) => flaky),
  ),
  failureReport(
    'failed',
    all.flatMap(({ failing }) => failing),
  ),
]) {
  if (report !== '') console.log(report);
}
console.log(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`);
process.exitCode = failed > 0 ? 1 : 0;

/** Counts as one failure. */
function broken(error: unknown): JestRun {
  console.error(error);
  return { suites: [], isBroken: true };
}

async function exitCodeOf(program: string, args: readonly string[], output: number | 'inherit' = 'inherit') {
  const [code] = await once(spawn(program, args, { stdio: ['ignore', output, output] }), 'exit');
  return code as number | null;
}
