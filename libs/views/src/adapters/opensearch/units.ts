import { countWords, indexUnit, valuesOf, type WordCounts } from '#search';
import type { DocumentRow, Unit, UnitKind, UnitSet } from '../../port.ts';
import { toColumn } from '../../text.ts';
import { vectorFields } from './mappings.ts';
import { documentKey, type Placed, placed } from './terms.ts';

/** A row of the units' index without what the document's row says of it. */
export interface UnitSource {
  readonly document: string;
  readonly kind: UnitKind;
  readonly ordinal: number;
  readonly space?: string;
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
  readonly [vectorField: string]: unknown;
}

export type PlacedUnit = UnitSource & Placed & { readonly unitsRevision: number };

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
      info: [...lengths, bare.speaker, bare.flags].join(','),
      unit: JSON.stringify({ id: unit.id, text: unit.text, speaker: unit.speaker }),
      ...(vectors !== null && vectorColumns(row.vectorSpace as string, vectors)),
    };
  });
}

export function placedUnit(source: UnitSource, row: DocumentRow): PlacedUnit {
  return { ...source, ...placed(row), unitsRevision: row.revision };
}

function vectorColumns(space: string, { bare, wide }: { readonly bare: Uint8Array; readonly wide: Uint8Array }) {
  const fields = vectorFields(space);
  const [bareValues, wideValues] = [valuesOf(bare), valuesOf(wide)];
  return {
    space: toColumn(space),
    // A vector of zeros has no direction, and OpenSearch takes none.
    ...(bareValues.some((value) => value !== 0) && { [fields.bare]: [...bareValues] }),
    ...(wideValues.some((value) => value !== 0) && { [fields.wide]: [...wideValues] }),
  };
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
  readonly bareLength: number;
  readonly wideLength: number;
  readonly wholeLength: number;
  readonly speaker: number;
  readonly flags: number;
}

export function infoFrom(column: string): UnitInfo {
  const [bareLength = 0, wideLength = 0, wholeLength = 0, speaker = 0, flags = 0] = column.split(',').map(Number);
  return { bareLength, wideLength, wholeLength, speaker, flags };
}
