/** Compares stored tokens, because reading and comparing those of 100 long passages would keep requests waiting. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { serve } from '#platform/thread-calls';
import { openVectorReader } from '#ports/vector-store';
import { MaxSimKernel } from '../../../kernel/max-sim-kernel.ts';
import { TokenLookup, type UnitRows } from './token-lookup.ts';

/** Scores in the order of the units; null: there was no time, or no tokens are stored. */
type Scores = (number | null)[];

/** @param expiresAt no unit is begun afterwards. Milliseconds since the epoch. */
export interface TokensApi {
  ready(): void;
  /** Compares what is stored under keys in the data folder. */
  compareStored(question: Int8Array, keys: readonly string[], expiresAt: number): Scores;
  compareRows(question: Int8Array, units: readonly UnitRows[], expiresAt: number): Scores;
}

const kernel = new MaxSimKernel();
const lookup = new TokenLookup();
const path = workerData as string | null;
const reader = path === null ? null : openVectorReader(path);

function compare(question: Int8Array, units: readonly UnitRows[], expiresAt: number): Scores {
  kernel.begin(question);
  return units.map((rows) => (rows === null || Date.now() >= expiresAt ? null : kernel.compare(rows)));
}

serve<TokensApi>(parentPort as MessagePort, {
  ready: () => {},
  compareStored: (question, keys, expiresAt) =>
    compare(
      question,
      lookup.lookUp(keys, (wanted) => reader?.get(wanted) ?? wanted.map(() => null)),
      expiresAt,
    ),
  compareRows: compare,
});
