import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { COMBINATIONS } from '../support/combinations.ts';
import { type Engine, installCurrentNats, installOldestNats, startNats, startOpenSearch } from './engines.ts';

/**
 * `npm run test:engines`: installs and starts the real engines, then runs every suite that needs one (NATS suites on the
 * oldest and the newest server), and the stories on the combinations of distributed engines.
 * `--json FILE` writes the totals, `--only TEXT` runs suites whose name contains the text.
 */
const { values } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' } } });
const ROOT = resolve(import.meta.dirname, '../..');
/** Runs on the newest NATS only: suites of OpenSearch, and tests that start several processes. */
const OF_ALL_ENGINES = 'opensearch|test/(cluster|doctor|health|loss|rebuild|transfer|upgrade|vector-space)';
const FAULTS = 'test/cluster-faults';
const STORIES = ['test/lifecycle.spec.ts', 'test/sdk.spec.ts', 'test/container-tags.spec.ts'];

interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const report = await mkdtemp(join(tmpdir(), 'mneme-engines-report-'));
const totals: Totals[] = [];
let runs = 0;
const started: Engine[] = [];
try {
  const progress = (line: string) => console.error(line);
  const openSearch = await startOpenSearch(progress);
  started.push(openSearch);
  const oldest = await startNats(await installOldestNats());
  started.push(oldest);
  const current = await startNats(await installCurrentNats());
  started.push(current);

  const engines = (nats: typeof current) => ({
    MNEME_TEST_NATS_URL: nats.url,
    MNEME_TEST_NATS_SERVER: nats.program,
    MNEME_TEST_OPENSEARCH_URL: openSearch.url,
  });
  await suites(
    `suites on NATS ${current.version} and OpenSearch`,
    ['\\.engine\\.spec\\.ts$', '--testPathIgnorePatterns', '/node_modules/', FAULTS],
    engines(current),
  );
  // The fault tests mostly wait, so they run in parallel with the others.
  await Promise.all([suites('faults', [FAULTS], engines(current)), onOldestAndStories()]);

  async function onOldestAndStories(): Promise<void> {
    await suites(
      `suites on NATS ${oldest.version}`,
      ['\\.engine\\.spec\\.ts$', '--testPathIgnorePatterns', '/node_modules/', OF_ALL_ENGINES],
      engines(oldest),
    );
    for (const combination of Object.keys(COMBINATIONS)) {
      const env = { ...engines(current), MNEME_TEST_COMBINATION: combination };
      await suites(`stories, ${combination}`, STORIES, env);
    }
  }
} finally {
  for (const engine of started.reverse()) await engine.stop();
  await rm(report, { recursive: true });
}

const sum = (of: keyof Totals) => totals.reduce((all, one) => all + one[of], 0);
const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
if (values.json) await writeFile(values.json, JSON.stringify({ passed, failed, skipped }));
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

async function suites(name: string, args: readonly string[], env: Record<string, string>): Promise<void> {
  if (values.only && !name.includes(values.only)) return;
  console.log(`== ${name}`);
  const file = join(report, `${++runs}.json`);
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const config = ['--config', 'jest.engines.config.mjs', '--ci', '--json', '--outputFile', file];
  const jest = spawn(process.execPath, [...flags, ...config, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    // The report goes to the file; Jest prints progress on stderr.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(jest, 'exit');
  totals.push(await totalsOf(file, code as number | null));
}

async function totalsOf(file: string, code: number | null): Promise<Totals> {
  try {
    const found = JSON.parse(await readFile(file, 'utf8'));
    const failed = found.numFailedTests + found.numRuntimeErrorTestSuites;
    return {
      passed: found.numPassedTests,
      failed: code === 0 ? failed : Math.max(1, failed),
      skipped: found.numPendingTests,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
