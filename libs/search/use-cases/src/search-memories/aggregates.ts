import { countWords } from '#search';
import { lengthOf, shortened } from '#summaries';
import type { MemoryResult } from './search-memories.query.ts';

/** Results that are joined at most. */
const MOST_JOINED = 5;
/** Least share of the terms of the shorter of two texts that the other one has too. */
const COMMON = 0.25;
/** Characters of the joined text: code points. */
const MAX_TEXT = 1000;

/**
 * Adds, behind the best result about a subject, one that joins it with the next ones about it. A result is about the subject
 * of a better one if they have many words in common. Each is joined once.
 * @param results the best first
 */
export function withAggregates(results: readonly MemoryResult[]): readonly MemoryResult[] {
  const terms = results.map(({ unit }) => new Set(countWords(unit.text).terms));
  const joined = new Set<number>();
  return results.flatMap((best, i) => {
    if (joined.has(i)) return [best];
    const members = [best];
    for (let j = i + 1; j < results.length && members.length < MOST_JOINED; j++) {
      const other = results[j] as MemoryResult;
      const isMember = !joined.has(j) && isAlike(terms[i], terms[j]) && !members.some((member) => isIn(member, other));
      if (!isMember) continue;
      members.push(other);
      joined.add(j);
    }
    return members.length === 1 ? [best] : [best, aggregateOf(best, members)];
  });
}

function isAlike(a: ReadonlySet<number> = new Set(), b: ReadonlySet<number> = new Set()): boolean {
  const shorter = Math.min(a.size, b.size);
  return shorter > 0 && [...a].filter((term) => b.has(term)).length >= COMMON * shorter;
}

/** A chunk holds its memories. */
const isIn = ({ unit: a }: MemoryResult, { unit: b }: MemoryResult): boolean =>
  a.text.includes(b.text) || b.text.includes(a.text);

function aggregateOf(best: MemoryResult, members: readonly MemoryResult[]): MemoryResult {
  const documents = [...new Map(members.map(({ document }) => [document.id, document])).values()];
  return { ...best, explanation: null, aggregate: { text: joinedText(members), documents } };
}

/** The texts by the dates of their documents, a line each. Texts that are too long together are cut. */
function joinedText(members: readonly MemoryResult[]): string {
  const ordered = [...members].sort(
    (a, b) => dateOf(a) - dateOf(b) || compare(a.document.id, b.document.id) || a.unit.ordinal - b.unit.ordinal,
  );
  const texts = ordered.map(({ unit }) => unit.text.replace(/\s+/g, ' ').trim());
  const shares = sharesOf(texts.map(lengthOf), MAX_TEXT - (texts.length - 1));
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
