const swc = [
  '@swc/jest',
  {
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      keepClassNames: true,
    },
    module: { type: 'es6' },
    swcrc: false,
    sourceMaps: 'inline',
  },
];

export default {
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test'],
  testEnvironment: 'node',
  workerIdleMemoryLimit: '768MB',
  // The suites also wait, for servers and for time to pass: three on two cores.
  maxWorkers: 3,
  // Ends tests that hang; what a test waits for has limits of its own.
  testTimeout: 600_000,
  testSequencer: '<rootDir>/tools/longest-first.mjs',
  testRegex: ['\\.spec\\.ts$'],
  // Tests that need a real engine run by `npm run test:engines`.
  testPathIgnorePatterns: ['/node_modules/', '\\.engine\\.spec\\.ts$'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  runtime: '<rootDir>/tools/jest-runtime.mjs',
  transform: { '^.+\\.ts$': swc },
};
