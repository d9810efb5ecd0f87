/** Preloaded with `--import` by the processes of the chaos test: the keys of ../keys.ts are valid. */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

const REPLACED = '/libs/features/access/src/api-keys.js';
if (!existsSync(new URL(`../../..${REPLACED.replace('.js', '.ts')}`, import.meta.url)))
  throw new Error(`${REPLACED} is gone`);
const url = new URL('./api-keys.ts', import.meta.url).href;
let original = '';

registerHooks({
  resolve: (specifier, context, next) => {
    // The stand-in imports what it replaces.
    if (specifier === '#features/access' && context.parentURL === url) return { url: original, shortCircuit: true };
    // Of the modules as they were compiled: bundled ones are parts of larger files.
    const resolved = next(specifier.replace('/bundled/', '/'), context);
    if (!resolved.url.endsWith(REPLACED)) return resolved;
    original = resolved.url;
    return { url, format: 'module-typescript', shortCircuit: true };
  },
});
