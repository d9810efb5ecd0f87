import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { alone, type JestRun, runJest, type SuiteRun } from '../ci/jest-run.ts';
import { type Results, resultsOf, withReruns } from '../ci/results.ts';
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
 * `npm run test:engines`: installs and starts the real engines, then runs every suite that needs one (suites of NATS
 * adapters on the oldest and the newest server), and the stories on combinations of distributed engines, several suites at once.
 * `--json FILE` writes the results, `--rerun` runs suites that failed once more, `--only TEXT` runs groups whose name contains
 * the text, other arguments are patterns of suites, e.g. `--only "all distributed" test/deletion`.
 */
const { values, positionals } = parseArgs({
  options: { json: { type: 'string' }, only: { type: 'string' }, rerun: { type: 'boolean' } },
  allowPositionals: true,
});
const ROOT = resolve(import.meta.dirname, '../..');
/**
 * Run on the newest NATS only: suites of OpenSearch, tests of several processes, and suites whose subject is what this project
 * does with the answers of NATS. The suites of the adapters use each function of the server.
 */
const ON_NEWEST_NATS = [
  ...['opensearch', 'blobs/src/adapters/nats/(interrupted|suspended-put)'],
  'test/(chaos|cluster|doctor|events-page|health|large-rows|loss|nats-work|rebuild|transfer|upgrade|vector-space)',
].join('|');
/** Runs on every combination: it uses every port, and looks for erased words where the engines keep them. */
const STORIES_OF_COMBINATIONS = ['lifecycle'];
/**
 * Run on all engines at once, because what they prove depends on several ports together: what is erased, recorded, moved,
 * rebuilt or restored everywhere, and documents that take other ways when they are long or have two vector spaces. Not the
 * stories about requests, formats and texts: the contract suites prove that each engine does what those need.
 */
const STORIES_OF_ALL_ENGINES = [
  ...['deletion', 'languages', 'long-texts', 'memories', 'memories-everywhere', 'older-log', 'passages-everywhere'],
  ...['past-memories', 'past-passages', 'stored-tokens', 'tag-deletion', 'tag-merge'],
  // What clients do is proved on both set-ups.
  ...['plugins', 'plugins-forgetting', 'plugins-reading'],
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

const started: Engine[] = [];
let results: Results = { passed: 0, failed: 1, skipped: 0, flaky: [], failing: [], suites: [] };
try {
  const [openSearch, oldest, current] = await startEngines();

  const engines = (nats: Nats) => ({
    MNEME_TEST_NATS_URL: nats.url,
    MNEME_TEST_NATS_SERVER: nats.program,
    MNEME_TEST_NATS_FOLDER: nats.folder,
    MNEME_TEST_OPENSEARCH_URL: openSearch.url,
  });
  const suites = ['\\.engine\\.spec\\.ts$'];
  const groups: readonly Group[] = [
    { name: `NATS ${current.version}, OpenSearch`, suites, except: [], engines: engines(current) },
    { name: `NATS ${oldest.version}`, suites, except: [ON_NEWEST_NATS], engines: engines(oldest) },
    ...Object.keys(COMBINATIONS).map((combination) => ({
      name: combination,
      suites: [...STORIES_OF_COMBINATIONS, ...(combination === 'all distributed' ? STORIES_OF_ALL_ENGINES : [])].map(
        (story) => `/test/${story}\\.spec\\.ts$`,
      ),
      except: [],
      engines: { ...engines(current), MNEME_TEST_COMBINATION: combination },
    })),
  ];
  const first = await run(
    groups.filter(({ name }) => name.includes(values.only ?? '')),
    positionals,
  );
  const again = (suite: SuiteRun) =>
    run(
      groups.filter(({ name }) => name === suite.group),
      alone(suite),
    );
  results = values.rerun ? await withReruns(first, again) : resultsOf(first);
} finally {
  for (const engine of started.reverse()) await engine.stop();
}

if (values.json) await writeFile(values.json, JSON.stringify(results));
const { passed, failed, skipped } = results;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

/** Starts them at the same time; those that start are in `started` even if another does not. */
async function startEngines(): Promise<readonly [Engine, Nats, Nats]> {
  const starting = async <T extends Engine>(engine: Promise<T>): Promise<T> => {
    started.push(await engine);
    return engine;
  };
  const engines = [
    starting(startOpenSearch((line) => console.error(line))),
    starting(installOldestNats().then(startNats)),
    starting(installCurrentNats().then(startNats)),
  ] as const;
  await Promise.allSettled(engines);
  return Promise.all(engines);
}

function run(groups: readonly Group[], args: readonly string[]): Promise<JestRun> {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  return runJest({
    program: process.execPath,
    args: [...flags, '--config', 'jest.engines.config.mjs', ...args],
    cwd: ROOT,
    env: { MNEME_TEST_GROUPS: JSON.stringify(groups) },
  });
}
