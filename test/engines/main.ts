import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { COMBINATIONS } from '../support/combinations.ts';
import {
  type Engine,
  installCurrentNats,
  installOldestNats,
  type Nats,
  startNats,
  startOpenSearch,
} from './engines.ts';

/**
 * `npm run test:engines`: installs and starts the real engines, then runs every suite that needs one (NATS suites on the
 * oldest and the newest server), and the stories on combinations of distributed engines, several suites at once.
 * `--json FILE` writes the totals, `--only TEXT` runs groups whose name contains the text, other arguments are patterns of
 * suites, e.g. `--only "all distributed" test/deletion`.
 */
const { values, positionals } = parseArgs({
  options: { json: { type: 'string' }, only: { type: 'string' } },
  allowPositionals: true,
});
const ROOT = resolve(import.meta.dirname, '../..');
/** Runs on the newest NATS only: suites of OpenSearch, and tests that start several processes. */
const OF_ALL_ENGINES =
  'opensearch|test/(chaos|cluster|doctor|health|large-rows|loss|rebuild|transfer|upgrade|vector-space)';
/** Run on every combination: they use all engines, and look for erased words where the engines keep them. */
const FIRST_STORIES = ['container-tags', 'custom-id', 'deletion', 'lifecycle', 'sdk'];
/** Run on all engines at once; what a combination could break beyond this is in the suites of the engines. */
const OTHER_STORIES = [
  ...['bad-input', 'batch', 'conversations', 'file-and-text', 'idempotency', 'languages', 'long-texts', 'memories'],
  ...[
    'memories-bad-input',
    'passages',
    'passages-everywhere',
    'past-memories',
    'past-passages',
    'past-tags',
    'sources',
    'carried-ids',
  ],
  ...['memories-everywhere', 'past-documents', 'reading', 'retries', 'scripts', 'search-options', 'settings'],
  ...['stored-tokens', 'summaries', 'tag-deletion', 'tag-merge', 'transfer', 'update', 'uploads', 'words'],
];

/** Suites that run on the same engines. */
interface Group {
  readonly name: string;
  /** Patterns of paths. */
  readonly suites: readonly string[];
  readonly except: readonly string[];
  /** Variables of these suites. */
  readonly engines: Readonly<Record<string, string>>;
}

const report = await mkdtemp(join(tmpdir(), 'mneme-engines-report-'));
const started: Engine[] = [];
let totals = { passed: 0, failed: 1, skipped: 0 };
try {
  const openSearch = await startOpenSearch((line) => console.error(line));
  started.push(openSearch);
  const oldest = await startNats(await installOldestNats());
  started.push(oldest);
  const current = await startNats(await installCurrentNats());
  started.push(current);

  const engines = (nats: Nats) => ({
    MNEME_TEST_NATS_URL: nats.url,
    MNEME_TEST_NATS_SERVER: nats.program,
    MNEME_TEST_NATS_FOLDER: nats.folder,
    MNEME_TEST_OPENSEARCH_URL: openSearch.url,
  });
  const suites = ['\\.engine\\.spec\\.ts$'];
  const groups: readonly Group[] = [
    { name: `NATS ${current.version}, OpenSearch`, suites, except: [], engines: engines(current) },
    { name: `NATS ${oldest.version}`, suites, except: [OF_ALL_ENGINES], engines: engines(oldest) },
    ...Object.keys(COMBINATIONS).map((combination) => ({
      name: combination,
      suites: [...FIRST_STORIES, ...(combination === 'all distributed' ? OTHER_STORIES : [])].map(
        (story) => `/test/${story}\\.spec\\.ts$`,
      ),
      except: [],
      engines: { ...engines(current), MNEME_TEST_COMBINATION: combination },
    })),
  ];
  totals = await run(groups.filter(({ name }) => name.includes(values.only ?? '')));
} finally {
  for (const engine of started.reverse()) await engine.stop();
  await rm(report, { recursive: true });
}

if (values.json) await writeFile(values.json, JSON.stringify(totals));
const { passed, failed, skipped } = totals;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

async function run(groups: readonly Group[]): Promise<typeof totals> {
  const file = join(report, 'report.json');
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const config = ['--config', 'jest.engines.config.mjs', '--ci', '--json', '--outputFile', file];
  const jest = spawn(process.execPath, [...flags, ...config, ...positionals], {
    cwd: ROOT,
    env: { ...process.env, MNEME_TEST_GROUPS: JSON.stringify(groups) },
    // The report goes to the file; Jest prints progress on stderr.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(jest, 'exit');
  return totalsOf(file, code as number | null);
}

async function totalsOf(file: string, code: number | null): Promise<typeof totals> {
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
