import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Engine, installCurrentNats, startNats, startOpenSearch } from '../engines/engines.ts';
import { ClusterTarget } from './drivers/processes/cluster.ts';
import { KilledTarget } from './drivers/processes/killed.ts';
import type { Target } from './drivers/target.ts';
import { runModel } from './run.ts';

/**
 * `npm run test:long`: the model-based test at length. `--only in-process|killed|distributed` makes one of its three parts,
 * `--runs N` so many runs of it, and `--seed N` the runs of this seed.
 */
const PARTS = { 'in-process': 1_000, killed: 100, distributed: 30 } as const;
type Part = keyof typeof PARTS;

/** Sequences of one Jest process, each with a seed of its own. */
const IN_ONE_PROCESS = 100;
const ROOT = resolve(import.meta.dirname, '../..');
const JEST = ['--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

const { values } = parseArgs({
  options: { only: { type: 'string' }, runs: { type: 'string' }, seed: { type: 'string' } },
});
if (values.only !== undefined && !(values.only in PARTS))
  throw new Error(`--only must be one of ${Object.keys(PARTS)}`);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const startedAt = Date.now();

const say = (text: string) => console.log(`${((Date.now() - startedAt) / 60_000).toFixed(1).padStart(5)} min  ${text}`);
const isWanted = (part: Part) => values.only === undefined || values.only === part;
const runsOf = (part: Part) => (values.only === part && values.runs ? Number(values.runs) : PARTS[part]);

say(`seed ${seed}; to repeat: npm run test:long -- --seed ${seed}`);
// The parts wait much, for restarts above all, so they share the machine.
const outcomes = await Promise.all([inProcess(), killed(), distributed()]);
const passed = outcomes.every((one) => one);
say(passed ? 'no difference found' : `differences found with the seed ${seed}`);
process.exitCode = passed ? 0 : 1;

/** By Jest, which compiles the application from its sources. */
async function inProcess(): Promise<boolean> {
  if (!isWanted('in-process')) return true;
  const runs = runsOf('in-process');
  for (let done = 0; done < runs; done += IN_ONE_PROCESS) {
    const some = Math.min(IN_ONE_PROCESS, runs - done);
    const env = { ...process.env, MNEME_MODEL_SEED: String(seed + done), MNEME_MODEL_RUNS: String(some) };
    const jest = spawn(process.execPath, [...JEST, '--ci', 'test/model/in-process.spec.ts'], {
      ...{ cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    let output = '';
    for (const stream of [jest.stdout, jest.stderr]) {
      stream?.on('data', (part) => {
        output += part;
      });
    }
    const [code] = await once(jest, 'exit');
    if (code !== 0) {
      console.log(output);
      say(
        `in process: to repeat only this: npm run test:long -- --only in-process --runs ${some} --seed ${seed + done}`,
      );
      return false;
    }
    say(`in process: ${done + some} of ${runs}`);
  }
  return true;
}

async function killed(): Promise<boolean> {
  return !isWanted('killed') || processes('killed', () => KilledTarget.start());
}

async function distributed(): Promise<boolean> {
  if (!isWanted('distributed')) return true;
  const engines: Engine[] = [];
  try {
    const openSearch = await startOpenSearch(say);
    engines.push(openSearch);
    const nats = await startNats(await installCurrentNats());
    engines.push(nats);
    process.env.MNEME_TEST_OPENSEARCH_URL = openSearch.url;
    process.env.MNEME_TEST_NATS_URL = nats.url;
    return await processes('distributed', () => ClusterTarget.start());
  } finally {
    for (const engine of engines.reverse()) await engine.stop();
  }
}

async function processes(part: Part, start: () => Promise<Target>): Promise<boolean> {
  const runs = runsOf(part);
  const failure = await runModel({
    ...{ seed, runs, start, shrinkMs: 300_000 },
    onPassed: (count) => {
      if (count % 5 === 0 || count === runs) say(`${part}: ${count} of ${runs}`);
    },
    onFailed: (error, commands, evidence) => {
      say(`${part}: a difference; a shorter sequence is looked for: ${String(error)}`);
      console.log(`${commands}\n${evidence}`);
    },
  });
  if (failure === null) return true;
  console.log(failure);
  say(`${part}: to repeat only this: npm run test:long -- --only ${part} --seed ${seed} --runs ${runs}`);
  return false;
}
