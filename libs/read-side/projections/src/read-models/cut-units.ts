import { cutSentences, type HashedSentence, hashedSentences, inactiveFrom, type Memory } from '#features/memories';
import type { LeftUnit, Unit } from '#read-side/views';

/** A unit of a document with its sentences. */
export interface ReadUnit {
  readonly unit: Unit;
  readonly sentences: readonly HashedSentence[];
}

/** What remains of a unit for a time. Milliseconds since the epoch. */
export interface Remains {
  readonly unit: Unit;
  /** The text without what is cut. */
  readonly text: string;
  readonly from: number;
  readonly until: number | null;
}

export interface CutUnits {
  readonly leftOut: readonly LeftUnit[];
  readonly remains: readonly Remains[];
  /** Whether a sentence of a unit is cut at a time. */
  isCut(unitId: string, at: number): boolean;
  /** The text of a memory without what is forgotten, or recorded as expired, of others. */
  withoutOthers(own: Memory, unit: ReadUnit): string;
}

export const readUnits = (units: readonly Unit[]): readonly ReadUnit[] =>
  units.map((unit) => ({ unit, sentences: hashedSentences(unit.text) }));

/**
 * Decides what of a document's units is left out: memories that have rows of their own, and every occurrence of a sentence
 * of a memory that is forgotten or expires, from that moment on, unless it was said again since.
 * @param erased ids of memories whose streams are erased, which count as forgotten
 * @param memories those of the document that have streams
 */
export function cutUnits(
  units: readonly ReadUnit[],
  memories: readonly Memory[],
  erased: ReadonlySet<string>,
): CutUnits {
  const moments = momentsOf(memories);
  for (const { unit, sentences } of units)
    if (erased.has(unit.id)) for (const { hash } of sentences) moments.set(hash, 0);
  const withRows = new Set(memories.map(({ id }) => id));
  const leftOut: LeftUnit[] = [];
  const remains: Remains[] = [];
  const byId = new Map<string, ReadUnit>();
  for (const read of units) {
    const { unit, sentences } = read;
    if (unit.kind === 'memory' && withRows.has(unit.id)) {
      leftOut.push([unit.kind, unit.ordinal, 0]);
      if (sentences.some(({ hash }) => moments.has(hash))) byId.set(unit.id, read);
      continue;
    }
    const times = timesOf(sentences, moments);
    const [first] = times;
    if (first === undefined) continue;
    byId.set(unit.id, read);
    leftOut.push([unit.kind, unit.ordinal, first]);
    for (const [i, from] of times.entries()) {
      const text = textWithout(read, ({ hash }) => (moments.get(hash) ?? Number.POSITIVE_INFINITY) <= from);
      if (text !== '') remains.push({ unit, text, from, until: times[i + 1] ?? null });
    }
  }
  const isCut: CutUnits['isCut'] = (unitId, at) =>
    byId.get(unitId)?.sentences.some(({ hash }) => (moments.get(hash) ?? Number.POSITIVE_INFINITY) <= at) === true;
  const gone = memories.filter(({ forgotten, isExpired }) => forgotten !== null || isExpired);
  const withoutOthers: CutUnits['withoutOthers'] = (own, read) => {
    const others = momentsOf(gone.filter((one) => one !== own));
    return others.size === 0 ? read.unit.text : textWithout(read, ({ hash }) => others.has(hash));
  };
  return { leftOut, remains, isCut, withoutOthers };
}

/** From when on each sentence is cut. */
function momentsOf(memories: readonly Memory[]): Map<string, number> {
  const moments = new Map<string, number>();
  for (const memory of memories) {
    const from = inactiveFrom(memory);
    if (from === null) continue;
    for (const hash of cutSentences(memory)) moments.set(hash, Math.min(from, moments.get(hash) ?? from));
  }
  return moments;
}

/** When sentences of a unit are cut, in order. */
const timesOf = (sentences: readonly HashedSentence[], moments: ReadonlyMap<string, number>): readonly number[] =>
  [...new Set(sentences.flatMap(({ hash }) => moments.get(hash) ?? []))].sort((a, b) => a - b);

/** Consecutive sentences keep what is between them. */
function textWithout({ unit: { text }, sentences }: ReadUnit, isCut: (sentence: HashedSentence) => boolean): string {
  if (!sentences.some(isCut)) return text;
  const parts: string[] = [];
  let from: number | null = null;
  let end = 0;
  for (const sentence of sentences) {
    if (isCut(sentence)) {
      if (from !== null) parts.push(text.slice(from, end));
      from = null;
    } else {
      from ??= sentence.start;
      end = sentence.end;
    }
  }
  if (from !== null) parts.push(text.slice(from, end));
  return parts.join('\n');
}
