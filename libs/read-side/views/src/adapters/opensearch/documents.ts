import { ANALYSED_LANGUAGES } from '#features/search';
import type { DocumentRow } from '../../documents.ts';
import { secondSpaceOf, spaceOfRow } from '../../one-space.ts';
import { toColumn } from '../../text.ts';
import type { Body } from './connection.ts';
import { anyOf, termOf } from './term.ts';
import { type FilterTerms, secondSpaceTerms } from './terms.ts';

/** Numbers of unit rows. */
export interface UnitExtent {
  readonly chunks: number;
  readonly memories: number;
}

/** Counts of units in a document's row. */
export interface UnitCounts extends UnitExtent {
  readonly unitsRevision: number;
}

export const NO_UNITS: UnitCounts = { chunks: 0, memories: 0, unitsRevision: -1 };

/** A row of the documents index that is not a tombstone. */
export interface DocumentSource extends FilterTerms, UnitCounts {
  readonly id: string;
  readonly stage: string;
  readonly source?: string;
  readonly customId?: string;
  readonly space?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly storedBytes?: number;
  readonly placedAs: string;
  /** JSON of the row. */
  readonly row: string;
}

export interface Tombstone {
  /** Milliseconds since the epoch. */
  readonly deletedAt: number;
}

/** @param analysedIn language by whose rules the words of the units are analysed; null: English */
export function documentSource(
  row: DocumentRow,
  place: FilterTerms,
  units: UnitCounts,
  analysedIn: string | null,
): DocumentSource {
  const space = spaceOfRow(row);
  return {
    ...place,
    ...units,
    facts: [
      ...place.facts,
      ...typeTerms(row.type),
      ...languageTerms(analysedIn),
      ...(row.sent === undefined ? [] : [sentTerm(row.sent)]),
      ...(row.isSummarized ? [SUMMARIZED] : []),
      ...secondSpaceTerms(secondSpaceOf(row)),
      ...(row.hasFormers ? [HAS_FORMERS] : []),
      ...(row.cuts === undefined ? [] : [row.memory === undefined ? CUT : REVISED]),
    ],
    id: toColumn(row.id),
    stage: row.stage,
    ...(row.source !== null && { source: sourceTerm(row.source) }),
    ...(row.customId !== null && { customId: customIdTerm(row.customId) }),
    ...(space !== null && { space: toColumn(space) }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...(row.storedBytes !== undefined && { storedBytes: row.storedBytes }),
    placedAs: placedAs(row),
    row: JSON.stringify(row),
  };
}

export const sourceTerm = (source: string): string => termOf('source', source);
/** Among the facts, as the terms of types are. */
export const sentTerm = (sent: string): string => termOf('sent', sent);
/** Among the facts, as the terms of types are. */
export const SUMMARIZED = termOf('is', 'summarized');
/** Marks documents with units that are left out. Among the facts, as the terms of types are. */
export const CUT = termOf('is', 'cut');
/** Marks memories with rows of their earlier versions. */
export const REVISED = termOf('is', 'revised');
/** Marks documents that units may have left. */
export const HAS_FORMERS = termOf('has', 'former units');
export const customIdTerm = (customId: string): string => termOf('customId', customId);

/** By far the most frequent type, so it has no term. */
const PLAIN_TYPE = 'text';
const NOT_PLAIN = termOf('type is not', PLAIN_TYPE);

/** Among the facts. */
const typeTerm = (type: string): string => termOf('type', type);
const typeTerms = (type: string): string[] => (type === PLAIN_TYPE ? [] : [typeTerm(type), NOT_PLAIN]);

const languageTerm = (language: string): string => termOf('language', language);
const LANGUAGE_TERMS: ReadonlyMap<string, string> = new Map(
  ANALYSED_LANGUAGES.map((language) => [languageTerm(language), language]),
);
const NOT_ENGLISH = termOf('language is not', 'en');

/** Among the facts, as the terms of types are. A document that is analysed as English has none. */
export const languageTerms = (language: string | null): string[] =>
  language === null ? [] : [languageTerm(language), NOT_ENGLISH];

/** Returns the language by whose rules the words of a document's units are analysed; null: English. */
export function analysedIn({ facts }: Pick<DocumentSource, 'facts'>): string | null {
  for (const fact of facts) {
    const language = LANGUAGE_TERMS.get(fact);
    if (language !== undefined) return language;
  }
  return null;
}

/** Condition: with units that are analysed by the rules of this language. */
export const inLanguage = (language: string): Body => ({ term: { facts: languageTerm(language) } });

/** Condition: with units that are analysed by other rules than the English ones. */
export const IN_OTHER_LANGUAGE: Body = { term: { facts: NOT_ENGLISH } };

/** Condition: of one of these types. */
export function ofTypes(types: readonly string[]): Body {
  const marked = { terms: { facts: types.filter((type) => type !== PLAIN_TYPE).map(typeTerm) } };
  return types.includes(PLAIN_TYPE)
    ? anyOf([marked, { bool: { must_not: [{ term: { facts: NOT_PLAIN } }] } }])
    : marked;
}

/** Returns a value that changes when unit rows of the document have to be written again. */
export const placedAs = ({ tags, filepath, metadata, frontMatter, memory, piece }: DocumentRow): string =>
  termOf(
    'placed',
    JSON.stringify([
      ...[[...new Set(tags)].sort(), filepath, metadata],
      ...(frontMatter ? [frontMatter] : []),
      ...(memory ? [memory.inactiveFrom] : []),
      ...(piece ? [piece.from, piece.until] : []),
    ]),
  );

export const rowFrom = (json: string): DocumentRow => JSON.parse(json) as DocumentRow;
