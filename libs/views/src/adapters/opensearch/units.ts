import { countWords, decodeEntry, encodeEntry, indexUnit, type UnitVectors, valuesOf, type WordCounts } from '#search';
import type { DocumentRow, Unit, UnitKind, UnitSet } from '../../port.ts';
import { fromColumn, toColumn } from '../../text.ts';
import type { Hit } from './connection.ts';
import { vectorFields } from './mappings.ts';
import { documentKey, type Placed } from './terms.ts';

/** A row of the units' index without what the document's row says of it. */
export interface UnitSource {
  readonly document: string;
  readonly kind: UnitKind;
  readonly ordinal: number;
  readonly bare: Features;
  readonly wide: Features;
  readonly whole?: Features;
  readonly bareLength: number;
  readonly wideLength: number;
  readonly wholeLength?: number;
  readonly speaker?: string;
  readonly info: string;
  /** JSON of the unit. */
  readonly unit: string;
  /** Name of the vectors' space as it stands in the index. */
  readonly space?: string;
  /** On the first unit: words and vectors of all of them, as the embedded engine scans them, in base64. */
  readonly entry?: string;
}

/** A unit's row with the vectors that are searched beside it. */
export interface IndexedRow {
  readonly source: UnitSource;
  readonly vectors: UnitVectors | null;
}

/** With the two fields of its vector space. */
export type PlacedUnit = UnitSource & Placed & { readonly unitsRevision: number; readonly [field: string]: unknown };

/** How often each term occurs, by `featureOf` its hash. */
type Features = Readonly<Record<string, number>>;

/** Name of a term in a field of features, which knows no dots. */
export const featureOf = (hash: number): string => hash.toString(36);

export const unitId = (document: string, kind: UnitKind, ordinal: number): string =>
  `${document}/${kind === 'chunk' ? 'c' : 'm'}/${ordinal}`;

export interface UnitPlace {
  readonly document: string;
  readonly kind: UnitKind;
  readonly ordinal: number;
}

export function placeOfUnit(id: string): UnitPlace {
  const [document = '', kind, ordinal] = id.split('/');
  return { document, kind: kind === 'c' ? 'chunk' : 'memory', ordinal: Number(ordinal) };
}

/**
 * The units of one kind as they are indexed. The wide form is that of the ranking: header, the unit before, the unit, the
 * one after it.
 * @throws RangeError unless their ordinals run from 0 without a gap
 */
export function unitRows(row: DocumentRow, set: UnitSet, kind: UnitKind): IndexedRow[] {
  const own = set.units
    .map((unit, place) => ({ unit, vectors: set.vectors?.[place] ?? null }))
    .filter(({ unit }) => unit.kind === kind)
    .sort((a, b) => a.unit.ordinal - b.unit.ordinal);
  if (own.some(({ unit }, i) => unit.ordinal !== i)) {
    throw new RangeError(`the ${kind} units of a document must have the ordinals 0 to ${own.length - 1}`);
  }
  if (set.vectors !== null && row.vectorSpace === null) throw new RangeError('vectors without the name of their space');
  const header = countWords(set.header);
  const indexed = own.map(({ unit, vectors }) => indexUnit(unit.text, unit.speaker, vectors));
  const document = documentKey(row.organization, row.id);
  return own.map(({ unit, vectors }, i) => {
    const bare = indexed[i] as WordCounts & { readonly speaker: number; readonly flags: number };
    const wide = together([header, indexed[i - 1], bare, indexed[i + 1]]);
    const whole = i === 0 ? together([header, ...indexed]) : null;
    const lengths = [bare.length, wide.length, whole?.length ?? 0];
    const source = {
      ...{ document, kind, ordinal: i },
      ...{ bare: features([bare]), wide: wide.features, bareLength: bare.length, wideLength: wide.length },
      ...(whole !== null && { whole: whole.features, wholeLength: whole.length }),
      ...(bare.speaker !== 0 && { speaker: featureOf(bare.speaker) }),
      info: [unitId(document, kind, i), ...lengths, bare.speaker, bare.flags].join(),
      unit: JSON.stringify({ id: unit.id, text: unit.text, speaker: unit.speaker }),
      ...(vectors !== null && { space: toColumn(row.vectorSpace as string) }),
      ...(i === 0 && { entry: Buffer.from(encodeEntry({ header, units: indexed })).toString('base64') }),
    };
    return { source, vectors };
  });
}

/** @param sources all unit rows of one document as they stand in the index @returns them with their vectors */
export function storedRows(sources: readonly UnitSource[]): IndexedRow[] {
  const entries = new Map(
    sources.flatMap(({ kind, entry }) =>
      entry === undefined ? [] : [[kind, decodeEntry(Buffer.from(entry, 'base64')).units]],
    ),
  );
  return sources.map((source) => ({ source, vectors: entries.get(source.kind)?.[source.ordinal] ?? null }));
}

/** @param place of its document, for which it is made once */
export function placedUnit({ source, vectors }: IndexedRow, place: Placed, unitsRevision: number): PlacedUnit {
  return { ...source, ...searchedVectors(source.space, vectors), ...place, unitsRevision };
}

function searchedVectors(
  space: string | undefined,
  vectors: UnitVectors | null,
): Readonly<Record<string, readonly number[]>> {
  if (space === undefined || vectors === null) return {};
  const fields = vectorFields(fromColumn(space));
  const both = [
    [fields.bare, vectors.bare],
    [fields.wide, vectors.wide],
  ] as const;
  return Object.fromEntries(
    both.flatMap(([field, vector]) => {
      const values = vector === null ? [] : Array.from(valuesOf(vector));
      // A vector of zeros has no direction, and OpenSearch takes none.
      return values.some((value) => value !== 0) ? [[field, values]] : [];
    }),
  );
}

function together(parts: readonly (WordCounts | undefined)[]): {
  readonly features: Features;
  readonly length: number;
} {
  const present = parts.filter((part) => part !== undefined);
  return { features: features(present), length: present.reduce((sum, { length }) => sum + length, 0) };
}

function features(parts: readonly WordCounts[]): Features {
  const counts: Record<string, number> = {};
  for (const { terms, counts: own } of parts) {
    for (let i = 0; i < terms.length; i++) {
      const name = featureOf(terms[i] as number);
      counts[name] = (counts[name] ?? 0) + (own[i] as number);
    }
  }
  return counts;
}

export const unitFrom = ({ kind, ordinal }: UnitPlace, json: string): Unit => {
  const { id, text, speaker } = JSON.parse(json) as Pick<Unit, 'id' | 'text' | 'speaker'>;
  return { id, kind, ordinal, text, speaker };
};

export interface UnitInfo {
  /** Of the row. */
  readonly id: string;
  readonly bareLength: number;
  readonly wideLength: number;
  readonly wholeLength: number;
  readonly speaker: number;
  readonly flags: number;
}

/**
 * What has to be read of a hit for {@link infoOf}. Nothing else, not even its id: those stand in compressed blocks that
 * cost more to open than all the rest.
 */
export const INFO_ONLY = { stored_fields: '_none_', docvalue_fields: ['info'] } as const;

export function infoOf({ fields }: Hit<unknown>): UnitInfo {
  const info = String(fields?.info?.[0]).split(',');
  return {
    id: info[0] as string,
    bareLength: Number(info[1]),
    wideLength: Number(info[2]),
    wholeLength: Number(info[3]),
    speaker: Number(info[4]),
    flags: Number(info[5]),
  };
}

/** What has to be read of a hit for {@link storedUnit}. */
export const STORED_UNIT = { _source: false, stored_fields: ['unit'], docvalue_fields: ['unitsRevision'] } as const;

/** @returns the unit as JSON, and the revision at which its document's units were written; null for a tombstone */
export function storedUnit({ fields }: Hit<unknown>): { readonly json: string; readonly revision: number } | null {
  const json = fields?.unit?.[0];
  return json === undefined ? null : { json: String(json), revision: Number(fields?.unitsRevision?.[0]) };
}
