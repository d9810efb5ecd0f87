// How Jest loads suites: by Node's own loader, so that the suites of a worker share the modules that they import. By Jest's loader
// each suite would load and link them again, a third of all processor time
// (docs/decisions/0122-suites-share-their-modules.md). Everything else of Jest is as usual.
import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import JestRuntime from 'jest-runtime';

const LIBRARIES = join(dirname(import.meta.dirname), 'libs');
/** In place of `@jest/globals`: `jest` of the suite that runs. */
const GLOBALS_URL = 'jest-globals:';
const GLOBALS_SOURCE = `export const jest = new Proxy({}, { get: (_, name) => globalThis[Symbol.for('jest')][name] });`;
const GLOBALS = ['describe', 'it', 'test', 'expect', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach'];
/** The matchers run in a context of their own, and compare with these what they get: `expect.any(Number)`. */
const SHARED = ['Array', 'BigInt', 'Boolean', 'Function', 'Number', 'Object', 'String', 'Symbol'];
/** As Jest would load a module by itself. */
const AS_MODULE = {
  ...{ supportsDynamicImport: true, supportsExportNamespaceFrom: true, supportsStaticESM: true },
  ...{ supportsTopLevelAwait: true, isInternalModule: false },
  ...{ collectCoverage: false, collectCoverageFrom: [], coverageProvider: 'v8' },
};

/** URL of a source to the path of its source map. */
const sourceMaps = new Map();
/** Of the suite that runs in this process. */
let current;
let count = 0;

class SharedModulesRuntime extends JestRuntime {
  #environment;
  #transformer;
  #number = ++count;
  #env = { ...process.env };

  constructor(config, environment, resolver, transformer, ...others) {
    environment.moduleMocker = new ModuleMocker(globalThis);
    environment.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
    for (const name of SHARED) environment.global[name] = globalThis[name];
    super(config, environment, resolver, transformer, ...others);
    this.#environment = environment;
    this.#transformer = transformer;
    Object.assign(globalThis, config.globals);
    current = this;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** Loads a suite or a file of its set-up. Each suite has its own, also if one file runs several times in the process. */
  async unstable_importModule(path) {
    const { global } = this.#environment;
    for (const name of [...GLOBALS, 'console']) globalThis[name] = global[name];
    globalThis[Symbol.for('jest')] = this.jestGlobals.jestObjectFor(path);
    await import(`${pathToFileURL(path).href}?suite=${this.#number}`);
  }

  /** Returns the JavaScript of a source. */
  transformed(url) {
    const { code, sourceMapPath } = this.#transformer.transform(fileURLToPath(url), AS_MODULE);
    if (sourceMapPath !== null) sourceMaps.set(url, sourceMapPath);
    return code;
  }

  getSourceMaps() {
    return sourceMaps;
  }

  teardown() {
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    super.teardown();
  }
}

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS_URL, format: 'module', shortCircuit: true };
    if (!specifier.startsWith('#') || context.parentURL?.includes('/node_modules/')) return next(specifier, context);
    return next(pathToFileURL(join(LIBRARIES, specifier.slice(1), 'src/index.ts')).href, context);
  },
  load(url, context, next) {
    if (url === GLOBALS_URL) return { source: GLOBALS_SOURCE, format: 'module', shortCircuit: true };
    if (!/^file:.*\.ts(\?suite=\d+)?$/.test(url)) return next(url, context);
    return { source: current.transformed(url), format: 'module', shortCircuit: true };
  },
});

// Jest loads this file with `require`.
export { SharedModulesRuntime as 'module.exports' };
