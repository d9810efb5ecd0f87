/** Preloaded with `--import` by a server of the tests: its model is replaced by the stand-in. */
import { registerHooks } from 'node:module';

const REPLACED = '/libs/models/src/local-embedder.js';
const url = new URL('./local-embedder.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    return resolved.url.endsWith(REPLACED) ? { url, format: 'module-typescript', shortCircuit: true } : resolved;
  },
});
