import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Contexts } from '../locomo-contexts.ts';
import { type Bench, type BenchOptions, type Outcome, type Row, SkippedError } from '../support/bench.ts';
import { findModel } from '../support/model.ts';
import { milliseconds } from '../support/statistics.ts';

const RUNNER = resolve(import.meta.dirname, '../locomo.ts');
const REPORT = resolve(import.meta.dirname, '../../../bench-results/locomo.json');
const TARGET = {
  ...{ within720Tokens: 0.87, recallAt10: 0.84, recallAt1: 0.49, p95Ms: 25, p95TimesBase: 2 },
  ...{ tokensPerToken: 1.25, ofBareModel: 1.6, contextBelow: 0.02 },
};
/** With `rerank`, of stored tokens. */
const TARGET_RERANKED = { within720Tokens: 0.872, recallAt10: 0.845, recallAt1: 0.5, addedMs: 10 };

interface Latency {
  readonly p50: number;
  readonly p95: number;
}

interface Report {
  readonly score: {
    readonly all: { readonly within720Tokens: number; readonly recallAt10: number; readonly recallAt1: number };
  };
  /** Null with `rerank`. */
  readonly contexts: Contexts | null;
  readonly latencyMs: Latency;
  readonly ofOne: { readonly ranker: Latency; readonly baseFormula: Latency; readonly rerank: Latency };
  readonly modelTokens: number;
  readonly ofBareModel: number;
}

/** Runs the LoCoMo runner, which also runs standalone. @param rerank its setting LOCOMO_RERANK */
async function measured({ progress }: BenchOptions, rerank: 'false' | 'stored'): Promise<Report> {
  if (!process.env.LOCOMO_JSON)
    throw new SkippedError('LOCOMO_JSON does not name data/locomo10.json of snap-research/LoCoMo');
  const { folder } = await findModel();
  progress('conversations 26, 30, 41, 42, 43');
  const runner = spawn(process.execPath, [...process.execArgv, RUNNER], {
    env: { ...process.env, MNEME_MODELS: folder, LOCOMO_RERANK: rerank },
    // Redirects its report to stderr, because stdout is for the table.
    stdio: ['ignore', 2, 2],
  });
  const [code] = (await once(runner, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The LoCoMo runner exited with code ${code}`);
  return JSON.parse(await readFile(REPORT, 'utf8')) as Report;
}

function recallRows(name: string, { score }: Report, target: typeof TARGET | typeof TARGET_RERANKED): Row[] {
  const { within720Tokens, recallAt10, recallAt1 } = score.all;
  return [
    {
      what: `${name}: evidence within the first 720 tokens`,
      measured: within720Tokens.toFixed(3),
      target: `≥ ${target.within720Tokens}`,
      met: within720Tokens >= target.within720Tokens,
    },
    {
      what: `${name}: R@10`,
      measured: recallAt10.toFixed(3),
      target: `≥ ${target.recallAt10}`,
      met: recallAt10 >= target.recallAt10,
    },
    {
      what: `${name}: R@1`,
      measured: recallAt1.toFixed(3),
      target: `≥ ${target.recallAt1}`,
      met: recallAt1 >= target.recallAt1,
    },
  ];
}

function contextRows(contexts: Contexts | null): Row[] {
  if (contexts === null) return [];
  const { ofContext, ofSearch, latencyMs } = contexts;
  return [
    {
      what: 'LoCoMo: evidence within 720 tokens of o200k: `/v4/context` without profile and recent activity, and search',
      measured: `${ofContext.toFixed(3)}, ${ofSearch.toFixed(3)}`,
      target: `− ${TARGET.contextBelow} at most`,
      met: ofContext >= ofSearch - TARGET.contextBelow,
    },
    {
      what: 'LoCoMo: such a context over HTTP',
      measured: `p50 ${milliseconds(latencyMs.p50)}, p95 ${milliseconds(latencyMs.p95)}`,
      target: '',
      met: null,
    },
  ];
}

export const locomo: Bench = {
  name: 'locomo',
  async run(options: BenchOptions): Promise<Outcome> {
    const report = await measured(options, 'false');
    const { p50, p95 } = report.latencyMs;
    const { ofOne, modelTokens, ofBareModel } = report;
    const { ranker, baseFormula } = ofOne;
    return {
      rows: [
        ...recallRows('LoCoMo', report, TARGET),
        ...contextRows(report.contexts),
        {
          what: 'LoCoMo: a search over HTTP, question embedded',
          measured: `p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}`,
          target: `p95 ≤ ${TARGET.p95Ms} ms`,
          met: p95 <= TARGET.p95Ms,
        },
        {
          what: 'LoCoMo: the same in one conversation, reordered by the ranker, and by the base formula alone',
          measured: `p95 ${milliseconds(ranker.p95)}, ${milliseconds(baseFormula.p95)}`,
          target: `≤ ${TARGET.p95TimesBase} ×`,
          met: ranker.p95 <= TARGET.p95TimesBase * baseFormula.p95,
        },
        {
          what: 'LoCoMo: tokens that the model reads for each token of text',
          measured: modelTokens.toFixed(2),
          target: `≤ ${TARGET.tokensPerToken}`,
          met: modelTokens <= TARGET.tokensPerToken,
        },
        {
          what: 'LoCoMo: time until the sessions are done, as a multiple of the bare model embedding each turn once with two threads',
          measured: ofBareModel.toFixed(2),
          target: `≤ ${TARGET.ofBareModel}`,
          met: ofBareModel <= TARGET.ofBareModel,
        },
      ],
      raw: report,
    };
  },
};

/** The same questions with `rerank`, by stored tokens (`MNEME_RERANK=on`). */
export const locomoReranked: Bench = {
  name: 'locomo-reranked',
  async run(options: BenchOptions): Promise<Outcome> {
    const report = await measured(options, 'stored');
    const { ranker, rerank } = report.ofOne;
    return {
      rows: [
        ...recallRows('LoCoMo with rerank of stored tokens', report, TARGET_RERANKED),
        {
          what: 'LoCoMo: a search over HTTP in one conversation with rerank of stored tokens, and without',
          measured: `p95 ${milliseconds(rerank.p95)}, ${milliseconds(ranker.p95)}; p50 ${milliseconds(rerank.p50)}, ${milliseconds(ranker.p50)}`,
          target: `p95 + ${TARGET_RERANKED.addedMs} ms at most`,
          met: rerank.p95 <= ranker.p95 + TARGET_RERANKED.addedMs,
        },
      ],
      raw: report,
    };
  },
};
