import type { Installation } from './installation/installation.ts';
import { runChaos } from './run.ts';

/** Of requests and faults, on each of the two set-ups; `npm run test:chaos` takes ten minutes. */
const MILLISECONDS = 8_000;
/** Between faults, so that several fall into this time. Milliseconds. */
const CALM = [200, 2_500] as const;
/** With the comparisons, which wait until all is processed. */
export const CHAOS_TIMEOUT_MS = 900_000;

/** Runs the chaos test on an installation, which is removed at the end, and prints its totals. */
export async function expectNoViolations(installation: Installation): Promise<void> {
  const seed = Number(process.env.MNEME_CHAOS_SEED ?? 1);
  const begun = performance.now();
  const course: string[] = [];
  const say = (text: string) => course.push(`${((performance.now() - begun) / 1_000).toFixed(1)} s ${text}`);
  try {
    const options = { seed, milliseconds: MILLISECONDS, calm: CALM, once: true, say };
    const { totals, violations } = await runChaos(installation, options);
    say('end');
    console.info([`${installation.name}, MNEME_CHAOS_SEED=${seed}: ${course.join(', ')}`, ...totals].join('\n'));
    expect(violations).toEqual([]);
  } catch (error) {
    throw new Error(`MNEME_CHAOS_SEED=${seed}: ${course.join(', ')}`, { cause: error });
  } finally {
    await installation.remove();
  }
}
