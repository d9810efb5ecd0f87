import base from './jest.config.mjs';

const { maxWorkers: _, testTimeout, workerIdleMemoryLimit, testSequencer, ...ofSuites } = base;
const ofRun = { testSequencer, workerIdleMemoryLimit, testTimeout };

/**
 * Suites that need a real engine, and the stories on distributed ones. test/engines/engine-suites.ts starts the engines and describes
 * the groups of suites in MNEME_TEST_GROUPS; without it, the suites find the engines in the environment.
 */
const groups = JSON.parse(process.env.MNEME_TEST_GROUPS ?? 'null');

export default groups === null
  ? { ...ofSuites, ...ofRun, testPathIgnorePatterns: ['/node_modules/'], maxWorkers: 1 }
  : {
      ...ofRun,
      // The suites wait more than they compute: three on two cores.
      maxWorkers: 3,
      projects: groups.map(({ name, suites, except, engines }) => ({
        ...ofSuites,
        displayName: name,
        testTimeout,
        testRegex: suites,
        testPathIgnorePatterns: ['/node_modules/', ...except],
        globals: { ENGINES: engines },
        setupFiles: ['<rootDir>/test/engines/environment.ts'],
      })),
    };
