/** Preloaded with `--import` by a server of the tests: its model is replaced by the stand-in. */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

const REPLACED = '/libs/ports/models/src/local-embedder.js';
if (!existsSync(new URL(`../../..${REPLACED.replace('.js', '.ts')}`, import.meta.url)))
  throw new Error(`${REPLACED} is gone`);
const url = new URL('./local-embedder.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => {
    // Of the modules as they were compiled: bundled ones are parts of larger files.
    const resolved = next(specifier.replace('/bundled/', '/'), context);
    return resolved.url.endsWith(REPLACED) ? { url, format: 'module-typescript', shortCircuit: true } : resolved;
  },
});
