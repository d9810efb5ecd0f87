import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { alone, type JestRun, runJest, type SuiteRun } from './jest-run.ts';
import { failureReport, longestReport, withReruns } from './results.ts';

const suite = (path: string, run: Partial<SuiteRun> = {}): SuiteRun => ({
  group: null,
  path,
  passed: 2,
  failed: 0,
  skipped: 0,
  seconds: 1,
  failure: null,
  ...run,
});
const failing = (path: string, run: Partial<SuiteRun> = {}) =>
  suite(path, { passed: 1, failed: 1, failure: `${path} stops\nExpected: 1\nReceived: 2`, ...run });
const run = (...suites: readonly SuiteRun[]): JestRun => ({ suites, isBroken: false });

describe('reruns', () => {
  it('counts a suite that passes alone with its second run, and reports the first failure', async () => {
    const first = run(suite('a'), failing('b', { group: 'NATS' }), suite('c', { skipped: 1 }));

    const results = await withReruns(first, async ({ path, group }) => run(suite(path, { group })));

    expect(results).toMatchObject({ passed: 6, failed: 0, skipped: 1, failing: [] });
    expect(failureReport('flaky', results.flaky)).toBe(
      ['flaky:', '  b (NATS): 1 failed', '    b stops', '    Expected: 1', '    Received: 2'].join('\n'),
    );
  });

  it('fails a suite that fails twice, even in different tests', async () => {
    const again = async () => run(failing('b', { passed: 0, failed: 2, failure: 'b starts' }));

    const results = await withReruns(run(failing('b')), again);

    expect(results).toMatchObject({ passed: 0, failed: 2, skipped: 0, flaky: [] });
    expect(failureReport('failed', results.failing)).toBe(['failed:', '  b: 2 failed', '    b starts'].join('\n'));
  });

  it('runs only what failed again, one suite after the other', async () => {
    const order: string[] = [];

    await withReruns(run(failing('b'), suite('a'), failing('c')), async ({ path }) => {
      order.push(`${path} begins`);
      await new Promise(setImmediate);
      order.push(`${path} ends`);
      return run(suite(path));
    });

    expect(order).toEqual(['b begins', 'b ends', 'c begins', 'c ends']);
  });

  it.each([
    ['ends without a report', { suites: [], isBroken: true }],
    ['fails outside of the tests', { suites: [suite('b')], isBroken: true }],
  ])('keeps the first failure if the second run %s', async (_, second) => {
    const results = await withReruns(run(failing('b')), async () => second);

    expect(results).toMatchObject({ passed: 1, failed: 1, skipped: 0, flaky: [] });
  });

  it('counts a broken first run as a failure', async () => {
    const results = await withReruns({ suites: [suite('a')], isBroken: true }, async () => run());

    expect(results).toMatchObject({ passed: 2, failed: 1, skipped: 0, flaky: [] });
  });
});

it('lists the longest suites first', () => {
  const suites = [suite('a', { seconds: 5 }), suite('b', { seconds: 120, group: 'NATS' })];

  expect(longestReport(suites)).toBe(['longest:', '   120 s  b (NATS)', '     5 s  a'].join('\n'));
});

describe('runs of Jest', () => {
  const root = resolve(import.meta.dirname, '../..');
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  /** Fails, or cannot be loaded, until a file exists. */
  const untilExists = (name: string, failure: string) =>
    `const fs = require('fs'); if (!fs.existsSync('${name}.run')) { fs.writeFileSync('${name}.run', ''); ${failure} }`;
  const SUITES = {
    'passes.spec.js': `it('adds', () => {}); it.skip('later', () => {});`,
    'flaky.spec.js': `it('finds', () => { ${untilExists('flaky', `throw new Error('not found');`)} });`,
    'unloadable.spec.js': `${untilExists('unloadable', `throw new Error('port in use');`)} it('listens', () => {});`,
    'fails.spec.js': `it('counts', () => expect(1).toBe(2)); it('reads', () => {});`,
  };
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-reruns-'));
    for (const [name, code] of Object.entries(SUITES)) await writeFile(join(folder, name), code);
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Runs Jest in the folder, without output. */
  const jestOn = (displayName: string, ...args: readonly string[]) => {
    const config = JSON.stringify({ rootDir: folder, projects: [{ rootDir: folder, displayName }] });
    return runJest({
      program: process.execPath,
      args: [jest, '--silent', '--config', config, ...args],
      cwd: folder,
      output: 'ignore',
    });
  };

  it('reports every suite with its group, and runs a suite alone', async () => {
    const first = await jestOn('NATS');

    expect(first.isBroken).toBe(false);
    const paths = first.suites.map(({ group, path }) => `${group} ${path}`).toSorted();
    expect(paths).toEqual([
      'NATS fails.spec.js',
      'NATS flaky.spec.js',
      'NATS passes.spec.js',
      'NATS unloadable.spec.js',
    ]);

    const results = await withReruns(first, (failed) => jestOn(`${failed.group}`, ...alone(failed)));

    expect(results).toMatchObject({ passed: 4, failed: 1, skipped: 1 });
    expect(results.flaky.map(({ path }) => path).toSorted()).toEqual(['flaky.spec.js', 'unloadable.spec.js']);
    const report = failureReport('flaky', results.flaky);
    expect(report).toContain('finds');
    expect(report).toContain('not found');
    expect(report).toContain('port in use');
    expect(report).not.toContain('node_modules');
  });

  it('tells that Jest failed without a failed suite', async () => {
    expect(await jestOn('NATS', 'no-such-suite')).toEqual({ suites: [], isBroken: true });
  });
});
