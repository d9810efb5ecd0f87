import pLimit from 'p-limit';
import { giveWay } from '#platform/kernel';
import { checkChains } from '../../append-checks.ts';
import type {
  Admit,
  AppendChain,
  AppendResult,
  ChainResult,
  EventStore,
  NewEvent,
  TogetherOptions,
} from '../../port.ts';

/** Chains in work at the same time. Each append is a request of its own. */
const CONCURRENT = 32;

/** Carries out chains without a transaction over streams: each independently, some at the same time. */
export async function appendChains(
  chains: readonly AppendChain[],
  append: EventStore['append'],
  { onRecorded, admit }: TogetherOptions = {},
): Promise<readonly ChainResult[]> {
  checkChains(chains);
  const refusals = new Set<unknown>();
  const admitted = (events: readonly NewEvent[]): Error | null => {
    const refusal = admit?.(events) ?? null;
    if (refusal !== null) refusals.add(refusal);
    return refusal;
  };
  const results = await pLimit(CONCURRENT).map(chains, async (chain) => {
    if (chains.length > 1) await giveWay();
    const outcome = await appendChain(chain, append, admitted);
    if (outcome.result.ok) onRecorded?.(chain, outcome.result);
    return outcome;
  });
  const isRecorded = results.some(({ steps }) => steps > 0);
  const failed = results.find(
    ({ result }) => !result.ok && result.error !== null && !refusals.has(result.error),
  )?.result;
  if (!isRecorded && failed && !failed.ok) throw failed.error;
  return results.map(({ result }) => result);
}

interface Outcome {
  readonly result: ChainResult;
  /** Appends of the chain that are recorded. */
  readonly steps: number;
}

async function appendChain(
  chain: AppendChain,
  append: EventStore['append'],
  admit: Admit<readonly NewEvent[]>,
): Promise<Outcome> {
  const appended: Extract<AppendResult, { readonly ok: true }>[] = [];
  const failed = (conflict: string | null, error: unknown): Outcome => ({
    result: { ok: false, conflict, error },
    steps: appended.length,
  });
  for (const [i, { stream, events, expected }] of chain.entries()) {
    try {
      const rest = () => chain.slice(i).flatMap((each) => each.events);
      const one = await append(stream, events, { expected, newIds: true, admit: () => admit(rest()) });
      if (!one.ok) return failed(stream, null);
      appended.push(one);
    } catch (error) {
      return failed(null, error);
    }
  }
  return { result: { ok: true, appended }, steps: appended.length };
}
