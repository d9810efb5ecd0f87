import { countWords, indexUnit, valuesOf, type WordCounts } from '#search';
import type { QuantizedVector } from '#vector-cache';
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
  /** Base64 of the bare and then of the wide vector. */
  readonly vectors?: string;
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
export function unitSources(row: DocumentRow, set: UnitSet, kind: UnitKind): UnitSource[] {
  const own = set.units
    .map((unit, place) => ({ unit, vectors: set.vectors?.[place] ?? null }))
    .filter(({ unit }) => unit.kind === kind)
    .sort((a, b) => a.unit.ordinal - b.unit.ordinal);
  if (own.some(({ unit }, i) => unit.ordinal !== i)) {
    throw new RangeError(`the ${kind} units of a document must have the ordinals 0 to ${own.length - 1}`);
  }
  if (set.vectors !== null && row.vectorSpace === null) throw new RangeError('vectors without the name of their space');
  const header = countWords(set.header);
  const indexed = own.map(({ unit }) => indexUnit(unit.text, unit.speaker, null));
  const document = documentKey(row.organization, row.id);
  return own.map(({ unit, vectors }, i) => {
    const bare = indexed[i] as WordCounts & { readonly speaker: number; readonly flags: number };
    const wide = together([header, indexed[i - 1], bare, indexed[i + 1]]);
    const whole = i === 0 ? together([header, ...indexed]) : null;
    const lengths = [bare.length, wide.length, whole?.length ?? 0];
    return {
      ...{ document, kind, ordinal: i },
      ...{ bare: features([bare]), wide: wide.features, bareLength: bare.length, wideLength: wide.length },
      ...(whole !== null && { whole: whole.features, wholeLength: whole.length }),
      ...(bare.speaker !== 0 && { speaker: featureOf(bare.speaker) }),
      info: [unitId(document, kind, i), ...lengths, bare.speaker, bare.flags].join(),
      unit: JSON.stringify({ id: unit.id, text: unit.text, speaker: unit.speaker }),
      ...(vectors !== null && {
        space: toColumn(row.vectorSpace as string),
        vectors: Buffer.concat([bytesOf(vectors.bare), bytesOf(vectors.wide)]).toString('base64'),
      }),
    };
  });
}

/** @param place of its document, for which it is made once */
export function placedUnit(source: UnitSource, place: Placed, unitsRevision: number): PlacedUnit {
  return { ...source, ...searchedVectors(source), ...place, unitsRevision };
}

function searchedVectors({ space, vectors }: UnitSource): Readonly<Record<string, readonly number[]>> {
  if (space === undefined || vectors === undefined) return {};
  const bytes = Buffer.from(vectors, 'base64');
  const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const fields = vectorFields(fromColumn(space));
  const both = [
    [fields.bare, values.subarray(0, values.length / 2)],
    [fields.wide, values.subarray(values.length / 2)],
  ] as const;
  // A vector of zeros has no direction, and OpenSearch takes none.
  const searched = both.filter(([, vector]) => vector.some((value) => value !== 0));
  return Object.fromEntries(searched.map(([field, vector]) => [field, Array.from(vector)]));
}

/** The values of a vector without copying them. */
function bytesOf(vector: QuantizedVector): Uint8Array {
  const { buffer, byteOffset, length } = valuesOf(vector);
  return new Uint8Array(buffer, byteOffset, length);
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
