import type { QuantizedVector } from '#ports/vector-store';
import { analyse, plainWords } from '../analysis/analyse.ts';
import { termHash } from '../analysis/hash.ts';
import { rulesOf } from '../analysis/languages.ts';
import { endsInQuestion, holdsTimeWord } from '../analysis/phrases.ts';

/** The term counts of one text, for BM25. */
export interface WordCounts {
  /** Distinct term hashes, ascending. */
  readonly terms: Uint32Array;
  /** Occurrences of each term, capped at 255; parallel to `terms`. */
  readonly counts: Uint8Array;
  /** Number of terms in the text, repetitions included. */
  readonly length: number;
}

/** The vectors of a unit in one vector space. */
export interface UnitVectors {
  /** Null: not embedded. */
  readonly bare: QuantizedVector | null;
  /** Further vectors: of these and `bare`, the nearest one counts. Absent: none. */
  readonly others?: readonly QuantizedVector[];
  /** Vector of the unit's context. Null: it has none of its own. */
  readonly wide: QuantizedVector | null;
  /**
   * Weight of `bare` in the context of the unit and of its neighbours, which is the weighted mean of the three: it needs no
   * vector of its own. 1…65,535. Absent or 0: the context has its own vector, or none.
   */
  readonly tokens?: number;
}

export const ENDS_IN_QUESTION = 1;
export const HOLDS_TIME_WORD = 2;
/** The number of the language that its words were analysed in is in the bits from here. 0: English. */
const LANGUAGE_SHIFT = 2;

/** One searchable unit (chunk or memory) in its bare form. */
export interface IndexedUnit extends WordCounts, UnitVectors {
  /** `speakerHash` of the speaker; 0 without a speaker. */
  readonly speaker: number;
  /** ENDS_IN_QUESTION | HOLDS_TIME_WORD | language << 2 */
  readonly flags: number;
}

/** All units of one kind of one document, in their order: neighbours in `units` are neighbours in the text. */
export interface IndexEntry {
  /** The words of the document's date and title: a prefix of the wide form of every unit. */
  readonly header: WordCounts;
  readonly units: readonly IndexedUnit[];
}

const NO_VECTORS: UnitVectors = { bare: null, wide: null };

/** @param language of the text; null: as English */
export function countWords(text: string, language: string | null = null): WordCounts {
  const hashes = Uint32Array.from(analyse(text, language), termHash).sort();
  const terms = hashes.filter((hash, i) => hash !== hashes[i - 1]);
  const counts = new Uint8Array(terms.length);
  let at = -1;
  for (let i = 0; i < hashes.length; i++) {
    if (hashes[i] !== hashes[i - 1]) at += 1;
    if ((counts[at] as number) < 255) counts[at] = (counts[at] as number) + 1;
  }
  return { terms, counts, length: hashes.length };
}

/** Returns a unit with other vectors. */
export function withVectorsOf({ others, tokens, ...unit }: IndexedUnit, vectors: UnitVectors | null): IndexedUnit {
  return { ...unit, ...(vectors ?? NO_VECTORS) };
}

/** Returns the vectors of a unit; null: it has none. */
export function vectorsIn({
  bare,
  others,
  wide,
  tokens,
}: UnitVectors): (UnitVectors & { readonly bare: QuantizedVector }) | null {
  return bare === null ? null : { bare, wide, ...(others && { others }), ...(tokens && { tokens }) };
}

type AnalysedText = WordCounts & Pick<IndexedUnit, 'flags'>;

/** Last analysed text. The only passage of a short document is both a chunk and a memory, analysed one after the other. */
let latest: { readonly text: string; readonly language: string | null; readonly analysed: AnalysedText } | null = null;

/**
 * Analyses one unit.
 * @param text the bare form, as it is embedded (a turn starts with its speaker)
 * @param language of its words; null: as English
 */
export function indexUnit(
  text: string,
  speaker: string | null,
  vectors: UnitVectors | null,
  language: string | null = null,
): IndexedUnit {
  if (latest?.text !== text || latest.language !== language) {
    latest = { text, language, analysed: analysedUnit(text, language) };
  }
  return { ...latest.analysed, ...(vectors ?? NO_VECTORS), speaker: speakerHash(speaker) };
}

function analysedUnit(text: string, language: string | null): AnalysedText {
  const flags = (endsInQuestion(text) ? ENDS_IN_QUESTION : 0) | (holdsTimeWord(text) ? HOLDS_TIME_WORD : 0);
  return { ...countWords(text, language), flags: flags | (languageNumber(language) << LANGUAGE_SHIFT) };
}

const languageNumber = (language: string | null): number => rulesOf(language)?.number ?? 0;

/** Returns whether the words of a unit were analysed as those of a language; null: as English. */
export const isAnalysedIn = ({ flags }: IndexedUnit, language: string | null): boolean =>
  flags >>> LANGUAGE_SHIFT === languageNumber(language);

/** Returns the hash of the folded first word of a name, by which queries name a person; 0 without a name. */
export function speakerHash(name: string | null): number {
  const first = plainWords(name ?? '')[0];
  return first === undefined ? 0 : termHash(first);
}
