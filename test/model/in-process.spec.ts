import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from '#platform/child-jobs';
import { InProcessTarget } from './drivers/in-process/target.ts';
import { runModel } from './run.ts';

/**
 * Random sequences of commands, with crashes right before and after each durable write, against a simple model.
 * The same sequences each time, so that a change is blamed for what it breaks; `npm run test:long` makes others, and many
 * more, also of real processes.
 */
const seed = Number(process.env.MNEME_MODEL_SEED ?? 100);
const runs = Number(process.env.MNEME_MODEL_RUNS ?? 16);
/** On a slow machine, sequences that are not begun within two minutes are left out, with a warning. */
const withinMs = process.env.MNEME_MODEL_RUNS === undefined ? 120_000 : undefined;

let folder: string;
let pool: Pool;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-model-pool-'));
  pool = new Pool({ folder });
});
afterAll(async () => {
  await pool.close();
  await rm(folder, { recursive: true });
});

test(`${runs} sequences of commands do what the contract says, whatever ends the process (seed ${seed})`, async () => {
  const start = () => InProcessTarget.start(pool);
  let done = 0;
  const onPassed = (passed: number) => {
    done = passed;
  };
  const failure = await runModel({ seed, runs, start, onPassed, ...(withinMs && { withinMs }) });
  if (failure !== null) throw new Error(`MNEME_MODEL_SEED=${seed}\n${failure}`);
  if (done < runs) console.warn(`Only ${done} of ${runs} sequences were carried out: the time for them was over.`);
  expect(done).toBeGreaterThan(0);
}, 3_600_000);
