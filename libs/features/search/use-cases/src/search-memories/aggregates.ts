import { countWords } from '#features/search';
import { giveWay } from '#platform/kernel';
import { codePoints, shortened } from '#processing/languages';
import type { MemoryResult } from './search-memories.query.ts';

/** Results that are joined at most. */
const MOST_JOINED = 5;
/** Least share of the terms of the shorter of two texts that the other one has too, if both are about one subject. */
const COMMON = 0.25;
/** The same, if one of them is a chunk that holds much of the other one, a memory of the same document. */
const HELD = 0.5;
/** Characters of the joined text: code points. */
const MAX_TEXT = 1000;

/**
 * Adds, behind the best result about a subject, one that joins it with the next ones about it. A result is about the subject
 * of a better one if they have many words in common. Each is joined once.
 * @param results the best first
 */
export async function withAggregates(results: readonly MemoryResult[]): Promise<readonly MemoryResult[]> {
  const texts: AnalysedResult[] = [];
  for (const result of results) {
    await giveWay();
    texts.push({ result, terms: new Set(countWords(result.unit.text, result.document.language).terms) });
  }
  const joined = new Set<AnalysedResult>();
  const all: MemoryResult[] = [];
  for (const [i, best] of texts.entries()) {
    all.push(best.result);
    if (joined.has(best)) continue;
    await giveWay();
    const members = membersOf(best, texts.slice(i + 1), joined);
    for (const member of members) joined.add(member);
    if (members.length > 1) all.push(aggregateOf(members.map(({ result }) => result)));
  }
  return all;
}

/** Returns the best result about a subject and the next ones about it. @param joined which are joined already */
function membersOf(
  best: AnalysedResult,
  others: readonly AnalysedResult[],
  joined: ReadonlySet<AnalysedResult>,
): readonly AnalysedResult[] {
  const members = [best];
  for (const other of others) {
    if (members.length === MOST_JOINED) break;
    if (joined.has(other) || inCommon(best, other) < COMMON || members.some((one) => repeats(one, other))) continue;
    members.push(other);
  }
  return members;
}

interface AnalysedResult {
  readonly result: MemoryResult;
  readonly terms: ReadonlySet<number>;
}

/** Returns the share of the terms of the shorter of two texts that the other one has too. */
function inCommon({ terms: a }: AnalysedResult, { terms: b }: AnalysedResult): number {
  const shorter = Math.min(a.size, b.size);
  return shorter === 0 ? 0 : [...a].filter((term) => b.has(term)).length / shorter;
}

/** Returns whether one text holds the other one, as chunks hold memories of their document. */
function repeats(a: AnalysedResult, b: AnalysedResult): boolean {
  const { unit, document } = a.result;
  const {
    unit: other,
    document: { id },
  } = b.result;
  if (unit.text.includes(other.text) || other.text.includes(unit.text)) return true;
  return unit.kind !== other.kind && document.id === id && inCommon(a, b) >= HELD;
}

/** @param members the best first */
function aggregateOf(members: readonly MemoryResult[]): MemoryResult {
  const [best] = members as [MemoryResult];
  const documents = [...new Map(members.map(({ document, source = document }) => [source.id, source])).values()];
  return { ...best, explanation: null, aggregate: { text: joinedText(members), documents } };
}

/** The texts by the dates of their documents, a line each. Texts that are too long together are cut. */
function joinedText(members: readonly MemoryResult[]): string {
  const ordered = [...members].sort(
    (a, b) => dateOf(a) - dateOf(b) || compare(a.document.id, b.document.id) || a.unit.ordinal - b.unit.ordinal,
  );
  const texts = ordered.map(({ unit }) => unit.text.replace(/\s+/g, ' ').trim());
  const shares = sharesOf(texts.map(codePoints), MAX_TEXT - (texts.length - 1));
  return texts.map((text, i) => shortened(text, shares[i] as number)).join('\n');
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function dateOf({ document: { documentDate, createdAt } }: MemoryResult): number {
  const date = documentDate === null ? Number.NaN : Date.parse(documentDate);
  return Number.isNaN(date) ? createdAt : date;
}

/** Divides a length: short texts get all of theirs, the others equal parts of the rest. */
function sharesOf(lengths: readonly number[], whole: number): readonly number[] {
  const shares = lengths.map(() => 0);
  let rest = whole;
  const ascending = [...lengths.entries()].sort(([, a], [, b]) => a - b);
  for (const [rank, [i, length]] of ascending.entries()) {
    const share = Math.min(length, Math.floor(rest / (lengths.length - rank)));
    shares[i] = share;
    rest -= share;
  }
  return shares;
}
