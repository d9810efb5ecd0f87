/**
 * Measures what the service promises and prints it as a Markdown table; every figure goes to bench-results/ as JSON.
 *
 *   npm run bench                              everything but what runs on request
 *   npm run bench -- --only adds,rebuild       only these
 *   npm run bench -- --quick                   small loads, to see that the tool works
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { adds } from './rows/adds.ts';
import { clone } from './rows/clone.ts';
import { embedding } from './rows/embedding.ts';
import { locomo } from './rows/locomo.ts';
import { rebuild } from './rows/rebuild.ts';
import { search1m, search100k } from './rows/search.ts';
import { searchOpenSearch } from './rows/search-opensearch.ts';
import { start } from './rows/start.ts';
import { throughput } from './rows/throughput.ts';
import { type Bench, type BenchOptions, type Outcome, type Row, SkippedError } from './support/bench.ts';
import { machine } from './support/machine.ts';

const BENCHES: readonly Bench[] = [
  clone,
  start,
  adds,
  throughput,
  embedding,
  search100k,
  search1m,
  rebuild,
  searchOpenSearch,
  locomo,
];
const RESULTS = resolve(import.meta.dirname, '../../bench-results');

const { values } = parseArgs({ options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } } });
const facts = machine();
const rows: Row[] = [];
const raw: Record<string, unknown> = {};
for (const bench of chosen(values.only)) {
  const { name } = bench;
  const begun = performance.now();
  const progress = (text: string) => {
    console.error(`[${name} ${((performance.now() - begun) / 1_000).toFixed(1)} s] ${text}`);
  };
  const outcome = await measure(bench, { quick: values.quick, progress });
  rows.push(...outcome.rows);
  raw[name] = outcome.raw;
}
console.log(table(rows));
console.log(`\nMeasured on ${facts.cores} cores (${facts.processor}), Node ${facts.node}, commit ${facts.commit}.`);
console.log(`Every figure: ${await save({ machine: facts, quick: values.quick, rows, raw })}`);

function chosen(only: string | undefined): readonly Bench[] {
  if (only === undefined) return BENCHES.filter(({ onRequest }) => !onRequest);
  const unknown = only.split(',').filter((name) => !BENCHES.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    console.error(`There is no ${unknown.join(', ')}; there are ${BENCHES.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  return BENCHES.filter(({ name }) => only.split(',').includes(name));
}

/** A benchmark that fails shows in the table, and the others go on. */
async function measure(bench: Bench, options: BenchOptions): Promise<Outcome> {
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
