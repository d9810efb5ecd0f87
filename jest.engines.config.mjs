import base from './jest.config.mjs';

/** Suites that need a real engine, and the stories on distributed ones: see test/engines/main.ts, which starts them. */
export default { ...base, testPathIgnorePatterns: ['/node_modules/'], testTimeout: 120_000, maxWorkers: 1 };
