import { countWords, decodeEntry, encodeEntry, type IndexedUnit, indexUnit, type UnitVectors, valuesOf } from '#search';
import { spaceOfRow } from '../../one-space.ts';
import type { DocumentRow, Unit, UnitKind, UnitSet } from '../../port.ts';
import { fromColumn, toColumn } from '../../text.ts';
import type { Hit } from './connection.ts';
import { vectorFields } from './mappings.ts';
import { documentKey } from './terms.ts';
import { type Counts, featureOf, featuresJson, vectorJson } from './unit-json.ts';

/** What is read of a unit's row to write it again elsewhere; there is more in it, which is written as it was. */
export interface StoredUnit {
  readonly document: string;
  readonly kind: UnitKind;
  readonly ordinal: number;
  /** Name of the vectors' space as it stands in the index. */
  readonly space?: string;
  /** On the first unit: words and vectors of all of them, as the embedded engine scans them, in base64. */
  readonly entry?: string;
}

/** A unit's row without what the document's row says of it. */
export interface UnitSource {
  readonly kind: UnitKind;
  readonly ordinal: number;
  /** A JSON object without its closing brace. */
  readonly json: string;
  readonly space?: string | undefined;
  /** In which it is searched. */
  readonly vectors: UnitVectors | null;
}

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
  const spaceOfVectors = spaceOfRow(row);
  if (set.vectors !== null && spaceOfVectors === null) throw new RangeError('vectors without the name of their space');
  const header = countWords(set.header);
  const indexed = own.map(({ unit, vectors }) => indexUnit(unit.text, unit.speaker, vectors));
  const document = documentKey(row.organization, row.id);
  return own.map(({ unit, vectors }, i) => {
    const { speaker, flags, ...bare } = indexed[i] as IndexedUnit;
    const wide = together([header, indexed[i - 1], bare, indexed[i + 1]]);
    const whole = i === 0 ? together([header, ...indexed]) : null;
    const space = vectors === null ? undefined : toColumn(spaceOfVectors as string);
    const fields = {
      ...{ document, kind, ordinal: i, space },
      ...{ bareLength: bare.length, wideLength: wide.length, wholeLength: whole?.length },
      ...(speaker !== 0 && { speaker: featureOf(speaker) }),
      info: [unitId(document, kind, i), bare.length, wide.length, whole?.length ?? 0, speaker, flags].join(),
      unit: JSON.stringify({ id: unit.id, text: unit.text, speaker: unit.speaker }),
      ...(i === 0 && { entry: Buffer.from(encodeEntry({ header, units: indexed })).toString('base64') }),
    };
    const bareJson = featuresJson(bare);
    const wideJson = wide === bare ? bareJson : featuresJson(wide);
    const wholeJson = whole === null ? null : whole.length === wide.length ? wideJson : featuresJson(whole);
    const features = `,"bare":${bareJson},"wide":${wideJson}${wholeJson === null ? '' : `,"whole":${wholeJson}`}`;
    return { kind, ordinal: i, json: JSON.stringify(fields).slice(0, -1) + features, space, vectors };
  });
}

/** @param rows all units of one document as they stand in the index */
export function storedSources(rows: readonly StoredUnit[]): UnitSource[] {
  const entries = new Map(
    rows.flatMap(({ kind, entry }) =>
      entry === undefined ? [] : [[kind, decodeEntry(Buffer.from(entry, 'base64')).units]],
    ),
  );
  return rows.map((row) => ({
    ...{ kind: row.kind, ordinal: row.ordinal, space: row.space },
    json: JSON.stringify(row).slice(0, -1),
    vectors: entries.get(row.kind)?.[row.ordinal] ?? null,
  }));
}

/**
 * @param place JSON of what the document's row says of the unit, made once for all of them
 * @returns the row as JSON
 */
export function placedUnit({ json, space, vectors }: UnitSource, place: string, unitsRevision: number): string {
  const searched = space === undefined || vectors === null ? '' : vectorsJson(space, vectors);
  return `${json}${searched},${place.slice(1, -1)},"unitsRevision":${unitsRevision}}`;
}

/** The fields in which a unit's vectors are searched; each begins with a comma. */
function vectorsJson(space: string, { bare, wide }: UnitVectors): string {
  const fields = vectorFields(fromColumn(space));
  const bareJson = bare && vectorJson(valuesOf(bare));
  const wideJson = wide === bare ? bareJson : wide && vectorJson(valuesOf(wide));
  return (bareJson ? `,"${fields.bare}":${bareJson}` : '') + (wideJson ? `,"${fields.wide}":${wideJson}` : '');
}

/** How often each term occurs in several texts together. */
function together(parts: readonly (Counts | undefined)[]): Counts {
  const present = parts.filter((part) => part !== undefined && part.length > 0) as readonly Counts[];
  const [only] = present;
  if (only !== undefined && present.length === 1) return only;
  const counts = new Map<number, number>();
  for (const { terms, counts: own } of present) {
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i] as number;
      counts.set(term, (counts.get(term) ?? 0) + (own[i] as number));
    }
  }
  const length = present.reduce((sum, part) => sum + part.length, 0);
  return { terms: [...counts.keys()], counts: [...counts.values()], length };
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
