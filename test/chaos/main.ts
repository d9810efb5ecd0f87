import { parseArgs } from 'node:util';
import { type Engine, installCurrentNats, startOpenSearch } from '../engines/engines.ts';
import { DistributedInstallation } from './installation/distributed.ts';
import { EmbeddedInstallation } from './installation/embedded.ts';
import type { Installation } from './installation/installation.ts';
import { runChaos } from './run.ts';

/**
 * `npm run test:chaos`: requests and faults on both set-ups, one after the other. `--minutes N`: time of all. Default: 20.
 * `--only embedded|distributed`: one of them. `--seed N`: makes the choices of this seed.
 */
const SET_UPS = ['embedded', 'distributed'] as const;
type SetUp = (typeof SET_UPS)[number];

const { values } = parseArgs({
  options: { only: { type: 'string' }, minutes: { type: 'string' }, seed: { type: 'string' } },
});
const wanted = SET_UPS.filter((one) => values.only === undefined || values.only === one);
if (wanted.length === 0) throw new Error(`--only must be one of ${SET_UPS.join(', ')}`);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const milliseconds = (Number(values.minutes ?? 20) * 60_000) / wanted.length;
const startedAt = Date.now();
const minutes = (): string => ((Date.now() - startedAt) / 60_000).toFixed(2).padStart(6);
const say = (text: string) => console.log(`${minutes()} min  ${text}`);

let openSearch: Engine | null = null;
let running: Installation | null = null;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}

say(`seed ${seed}; to repeat: npm run test:chaos -- --seed ${seed}`);
let violations = 0;
try {
  for (const setUp of wanted) violations += await run(setUp);
} finally {
  await cleanUp();
}
say(violations === 0 ? 'nothing lost, doubled, resurrected or leaked' : `${violations} violations, seed ${seed}`);
process.exitCode = violations === 0 ? 0 : 1;

/** Returns the number of violations. */
async function run(setUp: SetUp): Promise<number> {
  running = setUp === 'embedded' ? await EmbeddedInstallation.start() : await startDistributed();
  const report = await runChaos(running, { seed, milliseconds, say: (text) => say(`${setUp}: ${text}`) });
  await running.remove();
  running = null;
  for (const line of report.totals) console.log(line);
  for (const violation of report.violations) console.log(`VIOLATION  ${violation}`);
  return report.violations.length;
}

async function startDistributed(): Promise<Installation> {
  process.env.MNEME_TEST_NATS_SERVER = await installCurrentNats();
  openSearch = await startOpenSearch(say);
  return DistributedInstallation.start(openSearch.url);
}

async function cleanUp(): Promise<void> {
  try {
    await running?.remove();
  } finally {
    running = null;
    await openSearch?.stop();
    openSearch = null;
  }
}
