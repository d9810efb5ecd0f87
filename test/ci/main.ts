import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alone, runJest } from './jest-run.ts';
import { failureReport, longestReport, type Results, withReruns } from './results.ts';

/**
 * The checks of `.ci/run`, after the installation: the embedded tests, the static checks beside them, the tests on real engines.
 * A suite that fails runs once more, alone, when all others have run. The last line has the totals.
 */
const step = (name: string): void => console.log(`== ${name}`);

const temporary = await mkdtemp(join(tmpdir(), 'mneme-ci-'));
// The suites start some hundred processes of the same code.
process.env.NODE_COMPILE_CACHE = join(temporary, 'compiled');

let isChecked: boolean;
let all: readonly Results[];
try {
  // Beside the embedded tests, whose suites also wait.
  const log = await open(join(temporary, 'check.log'), 'w');
  const check = exitCodeOf('nice', ['npm', 'run', 'check'], log.fd);
  step('npm test');
  const embedded = await runJest({ program: 'npm', args: ['test', '--'] });
  step('npm run check');
  isChecked = (await check) === 0;
  await log.close();
  console.log(await readFile(join(temporary, 'check.log'), 'utf8'));
  step('npm run test:engines');
  const engines = await testEngines();
  all = [
    await withReruns(embedded, (suite) =>
      runJest({ program: process.execPath, args: ['--run', 'test', '--', ...alone(suite)] }),
    ),
    engines,
  ];
} finally {
  await rm(temporary, { recursive: true, force: true });
}

const sum = (count: 'passed' | 'failed' | 'skipped') => all.reduce((total, results) => total + results[count], 0);
const failed = sum('failed') + (isChecked ? 0 : 1);
if (!isChecked) console.log('FAILED: npm run check');
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

async function testEngines(): Promise<Results> {
  const file = join(temporary, 'engines.json');
  const code = await exitCodeOf('npm', ['run', 'test:engines', '--', '--rerun', '--json', file], 'inherit');
  const json = await readFile(file, 'utf8').catch(() => null);
  const results: Results =
    json === null ? { passed: 0, failed: 0, skipped: 0, flaky: [], failing: [], suites: [] } : JSON.parse(json);
  return { ...results, failed: code === 0 ? 0 : Math.max(1, results.failed) };
}

async function exitCodeOf(
  program: string,
  args: readonly string[],
  output: number | 'inherit',
): Promise<number | null> {
  const stdio: StdioOptions = ['ignore', output, output];
  const [code] = await once(spawn(program, args, { stdio }), 'exit');
  return code;
}
