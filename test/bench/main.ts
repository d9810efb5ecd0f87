/**
 * Measures the performance targets and prints them as a Markdown table; all figures are written to bench-results/ as JSON.
 *
 *   npm run bench                              all benchmarks except those on request
 *   npm run bench -- --only adds,rebuild       only these benchmarks
 *   npm run bench -- --quick                   small loads, to test the tool
 *   npm run bench -- --engines                 benchmarks of distributed engines, which it installs and starts
 *   npm run bench -- --engines --only batch    only this one; those that run on both set-ups have no target there
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { addToSearchable } from './rows/add-to-searchable.ts';
import { adds } from './rows/adds.ts';
import { analytics, analyticsCost } from './rows/analytics.ts';
import { backlog } from './rows/backlog.ts';
import { batch } from './rows/batch.ts';
import { bodies } from './rows/bodies.ts';
import { bulkDeletion } from './rows/bulk-deletion.ts';
import { clone } from './rows/clone.ts';
import { connections } from './rows/connections.ts';
import { cranfield } from './rows/cranfield.ts';
import { embedding } from './rows/embedding.ts';
import { eventStore } from './rows/event-store.ts';
import { extraction } from './rows/extraction.ts';
import { files } from './rows/files.ts';
import { languages } from './rows/languages.ts';
import { list } from './rows/list.ts';
import { locomo, locomoReranked } from './rows/locomo.ts';
import { longQuestion } from './rows/long-question.ts';
import { longTexts, longTextsEmbedded } from './rows/long-texts.ts';
import { memories } from './rows/memories.ts';
import { ocr } from './rows/ocr.ts';
import { pastDocuments } from './rows/past-documents.ts';
import { pastSearches } from './rows/past-searches.ts';
import { proxiedCalls, proxiedCallsByWords } from './rows/proxied-calls.ts';
import { reAdd } from './rows/re-add.ts';
import { rebuild } from './rows/rebuild.ts';
import { recordings } from './rows/recordings.ts';
import { replayOpenSearch } from './rows/replay-opensearch.ts';
import { reranking } from './rows/reranking.ts';
import { rewriting, rewritingEmbedded } from './rows/rewriting.ts';
import { search1m, search100k } from './rows/search.ts';
import { searchOpenSearch } from './rows/search-opensearch.ts';
import { start } from './rows/start.ts';
import { stop } from './rows/stop.ts';
import { streams } from './rows/streams.ts';
import { sweep } from './rows/sweep.ts';
import { throughput } from './rows/throughput.ts';
import { tokens } from './rows/tokens.ts';
import { tools } from './rows/tools.ts';
import { uploads } from './rows/uploads.ts';
import { workers } from './rows/workers.ts';
import {
  type Bench,
  type BenchOptions,
  type EngineBench,
  type Outcome,
  type Row,
  SkippedError,
} from './support/bench.ts';
import { startEngines } from './support/engines.ts';
import { onEmbedded, onEngines } from './support/installations.ts';
import { machine } from './support/machine.ts';

const BENCHES: readonly Bench[] = [
  clone,
  start,
  adds,
  onEmbedded(batch),
  backlog,
  throughput,
  eventStore,
  embedding,
  search100k,
  search1m,
  longQuestion,
  proxiedCalls,
  onEmbedded(proxiedCallsByWords),
  tokens,
  onEmbedded(rewriting),
  rewritingEmbedded,
  onEmbedded(reranking),
  onEmbedded(list),
  tools,
  analytics,
  analyticsCost,
  rebuild,
  onEmbedded(bulkDeletion),
  memories,
  pastSearches,
  pastDocuments,
  sweep,
  onEmbedded(reAdd),
  onEmbedded(stop),
  bodies,
  streams,
  uploads,
  onEmbedded(extraction),
  onEmbedded(connections),
  files,
  ocr,
  recordings,
  longTexts,
  longTextsEmbedded,
  locomo,
  locomoReranked,
  onEmbedded(cranfield),
  languages,
];
const ON_ENGINES: readonly EngineBench[] = [
  workers,
  addToSearchable,
  searchOpenSearch,
  replayOpenSearch,
  ...[
    batch,
    list,
    proxiedCallsByWords,
    rewriting,
    reranking,
    bulkDeletion,
    reAdd,
    stop,
    extraction,
    connections,
    cranfield,
  ].map(onEngines),
];
const RESULTS = resolve(import.meta.dirname, '../../bench-results');

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    engines: { type: 'boolean', default: false },
  },
});
const facts = machine();
const rows: Row[] = [];
const raw: Record<string, unknown> = {};
if (values.engines) {
  const benches = chosen(ON_ENGINES, values.only);
  const engines = await startEngines(console.error);
  try {
    for (const { name, run } of benches) await measure({ name, run: (options) => run(options, engines) });
  } finally {
    await engines.stop();
  }
} else {
  const benches =
    values.only === undefined ? BENCHES.filter(({ onRequest }) => !onRequest) : chosen(BENCHES, values.only);
  for (const bench of benches) await measure(bench);
}
console.log(table(rows));
console.log(`\nMeasured on ${facts.cores} cores (${facts.processor}), Node ${facts.node}, commit ${facts.commit}.`);
console.log(`All figures: ${await save({ machine: facts, quick: values.quick, rows, raw })}`);

/** Selects benchmarks. @param only comma-separated names. Default: all. */
function chosen<T extends { readonly name: string }>(benches: readonly T[], only: string | undefined): readonly T[] {
  if (only === undefined) return benches;
  const unknown = only.split(',').filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(', ')}. Benchmarks: ${benches.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  return benches.filter(({ name }) => only.split(',').includes(name));
}

async function measure(bench: Bench): Promise<void> {
  const { name } = bench;
  const begun = performance.now();
  const progress = (text: string) => {
    console.error(`[${name} ${((performance.now() - begun) / 1_000).toFixed(1)} s] ${text}`);
  };
  const outcome = await outcomeOf(bench, { quick: values.quick, progress });
  rows.push(...outcome.rows);
  raw[name] = outcome.raw;
}

/** A failed benchmark becomes a row of the table; the others continue. */
async function outcomeOf(bench: Bench, options: BenchOptions): Promise<Outcome> {
  try {
    return await bench.run(options);
  } catch (error) {
    const skipped = error instanceof SkippedError;
    const { message } = error as Error;
    options.progress(skipped ? `SKIPPED: ${message}` : String((error as Error).stack));
    if (!skipped) process.exitCode = 1;
    const measured = `${skipped ? 'SKIPPED' : 'FAILED'}: ${message.split('\n')[0]}`;
    return { rows: [{ what: bench.name, measured, target: '', met: null }], raw: { problem: measured } };
  }
}

function table(rows: readonly Row[]): string {
  const verdict = ({ met }: Row) => (met === null ? '' : met ? 'yes' : '**no**');
  const cells = rows.map((row) => [row.what, row.measured, row.target, verdict(row)]);
  const lines = [['what', 'measured', 'to reach', 'met'], ['---', '---', '---', '---'], ...cells];
  return lines.map((line) => `| ${line.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

async function save(results: object): Promise<string> {
  await mkdir(RESULTS, { recursive: true });
  const file = join(RESULTS, `${new Date().toISOString().replaceAll(':', '-')}.json`);
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
}
