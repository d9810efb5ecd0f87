import fc from 'fast-check';
import { Client } from './client.ts';
import { anyCommand } from './commands/index.ts';
import { compare } from './compare.ts';
import { comparePast } from './compare-past.ts';
import { Model } from './contract/model.ts';
import type { Target } from './drivers/target.ts';

const COMMANDS = { min: 20, max: 60 } as const;

export interface RunOptions {
  readonly seed: number;
  readonly runs: number;
  readonly start: () => Promise<Target>;
  /** No sequence is begun later than this. Milliseconds. Default: no limit. */
  readonly withinMs?: number;
  /** Called after each run that passed. */
  readonly onPassed?: (passed: number) => void;
  /** Called with each failure, the shorter ones that follow included, its commands and the evidence of the target. */
  readonly onFailed?: (error: unknown, commands: string, evidence: string) => void;
  /** How long shorter counterexamples are looked for. Milliseconds. Default: 60000. */
  readonly shrinkMs?: number;
}

/**
 * Carries out random sequences of commands on an installation and on the model, and compares the two.
 * @returns null, or the report of the shortest sequence that was found to differ
 */
export async function runModel(options: RunOptions): Promise<string | null> {
  const { seed, runs, start, onPassed = () => {}, onFailed = () => {}, shrinkMs = 60_000 } = options;
  const end = Date.now() + (options.withinMs ?? Number.POSITIVE_INFINITY);
  let passed = 0;
  let failedAt: number | null = null;
  const sequences = fc.commands([anyCommand], { maxCommands: COMMANDS.max, size: 'max' });
  const property = fc.asyncProperty(sequences, async (commands) => {
    // Shorter ones are looked at only to shrink a sequence that failed.
    fc.pre(failedAt !== null || [...commands].length >= COMMANDS.min);
    if (failedAt === null ? Date.now() > end : Date.now() - failedAt > shrinkMs) return;
    const target = await start();
    try {
      const [model, client] = [new Model(), new Client(target)];
      await fc.asyncModelRun(() => ({ model, real: client }), commands);
      await compare(model, client);
      await comparePast(model, client);
      passed += 1;
      onPassed(passed);
    } catch (error) {
      failedAt ??= Date.now();
      onFailed(error, listed(commands), (await target.evidence?.()) ?? '');
      throw error;
    } finally {
      await target.close();
    }
  });
  const details = await fc.check(property, { seed, numRuns: runs, endOnFailure: false });
  if (!details.failed) return null;
  const { counterexample, numRuns, numShrinks, errorInstance } = details;
  const [commands] = counterexample ?? [[]];
  return [
    `Sequence ${numRuns} of the seed ${seed} differs from the model:`,
    String((errorInstance as Error | null)?.stack),
    `After ${numShrinks} reductions it is:`,
    listed(commands),
  ].join('\n');
}

/** Those commands that were carried out, a line each. */
function listed(commands: Iterable<object>): string {
  const carriedOut = [...commands].filter((command) => (command as { readonly hasRan?: boolean }).hasRan !== false);
  return carriedOut.map((command, i) => `${String(i + 1).padStart(4)}  ${command}`).join('\n');
}
