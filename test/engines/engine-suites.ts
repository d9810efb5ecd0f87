import { resolve } from 'node:path';
import { alone, type JestRun, runJest, type SuiteRun } from '../ci/jest-run.ts';
import { COMBINATIONS } from '../support/combinations.ts';
import {
  type Engine,
  installCurrentNats,
  installOldestNats,
  type Nats,
  startNats,
  startOpenSearch,
} from './engines.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/**
 * Run on the newest NATS only: suites of OpenSearch, tests of several processes, and suites whose subject is what this project
 * does with the answers of NATS. The suites of the adapters use each function of the server.
 */
const ON_NEWEST_NATS = [
  ...['opensearch', 'blobs/src/adapters/nats/(interrupted|suspended-put)'],
  'test/(chaos|cluster|connections|doctor|events-page|health|large-rows|loss|mcp|nats-work|oauth|organizations|proxy|quotas|rebuild|sign-in|transfer|upgrade|vector-space)',
].join('|');
/** Runs on every combination: it uses every port, and looks for erased words where the engines keep them. */
const STORIES_OF_COMBINATIONS = ['lifecycle'];
/**
 * Run on all engines at once, because what they prove depends on several ports together: what is erased, recorded, moved,
 * rebuilt or restored everywhere, and documents that take other ways when they are long or have two vector spaces. Not the
 * stories about requests, formats and texts: the contract suites prove that each engine does what those need.
 */
const STORIES_OF_ALL_ENGINES = [
  ...['context', 'deletion', 'languages', 'long-texts', 'memories', 'memories-everywhere', 'older-log'],
  ...['connected-sites', 'organizations-apart', 'passages-everywhere'],
  ...['past-memories', 'past-passages', 'stored-tokens', 'tag-deletion', 'tag-merge'],
  // What clients do is proved on both set-ups.
  ...['mcp', 'plugins', 'plugins-forgetting', 'plugins-reading', 'proxy', 'proxy-clients'],
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

/**
 * The real engines, and the suites that run on them: every suite that needs an engine (suites of NATS adapters on the oldest
 * and the newest server), and the stories on combinations of distributed engines.
 */
export class EngineSuites {
  readonly #engines: readonly Engine[];
  readonly #groups: readonly Group[];

  private constructor(engines: readonly Engine[], groups: readonly Group[]) {
    this.#engines = engines;
    this.#groups = groups;
  }

  /**
   * Installs and starts the engines.
   * @throws if one does not start; the others are stopped
   */
  static async start(): Promise<EngineSuites> {
    const started: Engine[] = [];
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
    try {
      return new EngineSuites(started, groupsOn(...(await Promise.all(engines))));
    } catch (error) {
      await stopAll(started);
      throw error;
    }
  }

  /**
   * @param only runs the groups whose name contains this text
   * @param args patterns of suites, or other arguments of Jest
   * @param output file descriptor for what Jest prints. Default: the terminal
   */
  run(only: string, args: readonly string[], output?: number): Promise<JestRun> {
    return run(
      this.#groups.filter(({ name }) => name.includes(only)),
      args,
      output,
    );
  }

  /** Repeats one suite on the engines that it ran on, while no other suite runs. */
  again(suite: SuiteRun): Promise<JestRun> {
    const group = this.#groups.filter(({ name }) => name === suite.group);
    return run(group, alone(suite));
  }

  stop(): Promise<void> {
    return stopAll(this.#engines);
  }
}

function groupsOn(openSearch: Engine, oldest: Nats, current: Nats): readonly Group[] {
  const engines = (nats: Nats) => ({
    MNEME_TEST_NATS_URL: nats.url,
    MNEME_TEST_NATS_SERVER: nats.program,
    MNEME_TEST_NATS_FOLDER: nats.folder,
    MNEME_TEST_OPENSEARCH_URL: openSearch.url,
  });
  const suites = ['\\.engine\\.spec\\.ts$'];
  return [
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
}

function run(groups: readonly Group[], args: readonly string[], output?: number): Promise<JestRun> {
  const flags = ['--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  return runJest({
    program: process.execPath,
    args: [...flags, '--config', 'jest.engines.config.mjs', ...args],
    cwd: ROOT,
    env: { MNEME_TEST_GROUPS: JSON.stringify(groups) },
    output,
  });
}

async function stopAll(engines: readonly Engine[]): Promise<void> {
  for (const engine of engines.toReversed()) await engine.stop();
}
