import { TokenCounters } from '#platform/tokens';
import type { Mneme } from '../support/mneme.ts';
import type { Conversation } from './locomo-data.ts';
import { shareFound } from './locomo-score.ts';
import { expectStatus } from './support/bench.ts';
import { percentile } from './support/statistics.ts';

const MAX_TOKENS = 720;
/** More results than fit. */
const LIMIT = 100;

/** Evidence within 720 tokens of o200k: mean share over the questions, 0…1. */
export interface Contexts {
  /** Of the first results of `/v4/search`, a line each, that fit. */
  readonly ofSearch: number;
  /** Of `/v4/context` without profile and recent activity, headings counted. */
  readonly ofContext: number;
  readonly latencyMs: { readonly p50: number; readonly p95: number };
}

/** Asks each question of LoCoMo by a search and by a context. @throws if a context has more tokens than it may */
export async function compareContexts(mneme: Mneme, conversations: readonly Conversation[]): Promise<Contexts> {
  const counters = new TokenCounters(console);
  const count = counters.of('o200k');
  const [ofSearch, ofContext, latencies]: [number[], number[], number[]] = [[], [], []];
  for (const { name: containerTag, questions } of conversations) {
    for (const { text: q, evidence } of questions) {
      const found = await mneme.post<{ results: readonly { memory: string }[] }>('/v4/search', {
        ...{ q, containerTag, threshold: 0, limit: LIMIT },
      });
      expectStatus(found.status, 200, 'a search');
      const results = found.body.results.map(({ memory }) => memory);
      const counts = await count(results.map((text) => `${text}\n`));
      ofSearch.push(shareFound(evidence, results.slice(0, fitting(counts))));
      const begun = performance.now();
      const context = await mneme.post<{ text: string; memories: readonly { text: string }[] }>('/v4/context', {
        ...{ q, containerTag, threshold: 0, maxTokens: MAX_TOKENS, includeProfile: false, includeRecent: false },
      });
      latencies.push(performance.now() - begun);
      expectStatus(context.status, 200, 'a context');
      const [tokens = 0] = await count([context.body.text]);
      if (tokens > MAX_TOKENS) throw new Error(`A context has ${tokens} tokens: ${q}`);
      ofContext.push(
        shareFound(
          evidence,
          context.body.memories.map(({ text }) => text),
        ),
      );
    }
  }
  await counters.close();
  const latencyMs = { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95) };
  return { ofSearch: mean(ofSearch), ofContext: mean(ofContext), latencyMs };
}

/** Returns how many of the first ones fit. */
function fitting(counts: readonly number[]): number {
  let tokens = 0;
  const beyond = counts.findIndex((count) => {
    tokens += count;
    return tokens > MAX_TOKENS;
  });
  return beyond === -1 ? counts.length : beyond;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
