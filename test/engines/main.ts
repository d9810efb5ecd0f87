import { parseArgs } from 'node:util';
import { resultsOf } from '../ci/results.ts';
import { EngineSuites } from './engine-suites.ts';

/**
 * `npm run test:engines`: starts the real engines and runs the suites on them, several at once. `--only TEXT` runs groups whose
 * name contains the text, other arguments are patterns of suites, e.g. `--only "all distributed" test/deletion`.
 */
const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });
const suites = await EngineSuites.start();
try {
  const { passed, failed, skipped } = resultsOf(await suites.run(values.only ?? '', positionals));
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
} finally {
  await suites.stop();
}
