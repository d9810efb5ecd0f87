import {
  countWords,
  decodeEntry,
  encodeEntry,
  type IndexedUnit,
  indexUnit,
  type UnitVectors,
  vectorsIn,
  withVectorsOf,
} from '#features/search';
import type { DocumentRow, Unit, UnitKind, UnitSet } from '../../documents.ts';
import { checkNamed, secondSpaceOf, spaceOfRow } from '../../one-space.ts';
import { foldedText, statementOf } from '../../statements.ts';
import { fromColumn, toColumn } from '../../text.ts';
import { checkOrdinals, type StoredUnit as UnitWithVectors } from '../../unit-changes.ts';
import { spread } from './document-words.ts';
import { secondFields, type VectorFields, vectorFields } from './mappings.ts';
import { checkRowSize } from './row-size.ts';
import { type SearchedVectors, searchedAt, vectorsJson } from './searched-vectors.ts';
import { termOf } from './term.ts';
import { documentKey } from './terms.ts';
import { unitFrom } from './unit-hits.ts';
import { type Counts, featureOf, featuresJson } from './unit-json.ts';

/** The fields of a unit's row that are needed to write it again; its other fields are written unchanged. */
export interface StoredUnit {
  readonly document: string;
  readonly kind: UnitKind;
  readonly ordinal: number;
  /** Name of the vectors' space, encoded as in the index. */
  readonly space?: string;
  /** JSON of the unit. */
  readonly unit: string;
  /** On the first unit: words and vectors of all units, as the embedded engine scans them, in base64. */
  readonly entry?: string;
  /** The same with the vectors of the second space, in the field of {@link VectorFields}. */
  readonly [entry: `entry_${string}`]: string;
}

/** A unit's row without the fields that follow from the document's row. */
export interface UnitSource {
  readonly kind: UnitKind;
  readonly ordinal: number;
  /** A JSON object without its closing brace. */
  readonly json: string;
  readonly space?: string | undefined;
  readonly searched: SearchedVectors;
  /** Those of the second space. */
  readonly second?: { readonly fields: VectorFields; readonly searched: SearchedVectors } | null | undefined;
}

export const unitId = (document: string, kind: UnitKind, ordinal: number): string =>
  `${document}/${kind === 'chunk' ? 'c' : 'm'}/${ordinal}`;

export interface UnitPlace {
  readonly document: string;
  readonly kind: UnitKind;
  readonly ordinal: number;
}

export function parseUnitId(id: string): UnitPlace {
  const [document = '', kind, ordinal] = id.split('/');
  return { document, kind: kind === 'c' ? 'chunk' : 'memory', ordinal: Number(ordinal) };
}

/**
 * Builds the rows of the units of one kind, one after the other: together they take many times the memory of their texts. The
 * wide form is that of the ranking: header, previous unit, unit, next unit.
 * @throws RangeError unless their ordinals run from 0 without a gap; RowRejectedError if they are too large together
 */
export function* unitSources(row: DocumentRow, set: UnitSet, kind: UnitKind): Generator<UnitSource> {
  const own = set.units
    .map((unit, place) => ({ unit, vectors: set.vectors?.[place] ?? null, beside: set.second?.[place] ?? null }))
    .filter(({ unit }) => unit.kind === kind)
    .sort((a, b) => a.unit.ordinal - b.unit.ordinal);
  checkOrdinals(
    kind,
    own.map(({ unit }) => unit.ordinal),
  );
  checkNamed(row, set);
  const spaceOfVectors = spaceOfRow(row);
  const { language = null } = set;
  const header = countWords(set.header, language);
  const indexed = own.map(({ unit, vectors }) => indexUnit(unit.text, unit.speaker, vectors, language));
  const second = set.second ? secondOf(row, indexed, own) : null;
  const document = documentKey(row.organization, row.id);
  const whole = together([header, ...indexed]);
  const parts = spread(whole, own.length);
  for (const [i, { unit, vectors }] of own.entries()) {
    const { speaker, flags, ...bare } = indexed[i] as IndexedUnit;
    const wide = together([header, indexed[i - 1], bare, indexed[i + 1]]);
    const wholeLength = i === 0 ? whole.length : undefined;
    const space = vectors === null ? undefined : toColumn(spaceOfVectors as string);
    const fields = {
      ...ownFacts(row.organization, kind, unit),
      ...{ document, kind, ordinal: i, space },
      ...{ bareLength: bare.length, wideLength: wide.length, wholeLength },
      ...(speaker !== 0 && { speaker: featureOf(speaker) }),
      ...(kind === 'memory' && row.piece === undefined && { statement: statementTerm(row, unit) }),
      info: [
        ...[unitId(document, kind, i), bare.length, wide.length, wholeLength ?? 0, speaker, flags],
        ...(i === 0 && parts.length > 1 ? [parts.length] : []),
      ].join(),
      unit: JSON.stringify({ id: unit.id, text: unit.text, speaker: unit.speaker, location: unit.location }),
      ...(i === 0 && { entry: entryOf(row, { header, units: indexed }) }),
      ...(i === 0 && second !== null && { [second.fields.entry]: entryOf(row, { header, units: second.units }) }),
    };
    const bareJson = featuresJson(bare);
    const wideJson = wide === bare ? bareJson : featuresJson(wide);
    const part = parts[i];
    const partJson = part && (parts.length === 1 && whole.length === wide.length ? wideJson : featuresJson(part));
    const features = `,"bare":${bareJson},"wide":${wideJson}${partJson ? `,"whole":${partJson}` : ''}`;
    yield {
      kind,
      ordinal: i,
      json: JSON.stringify(fields).slice(0, -1) + features,
      space,
      searched: searchedAt(indexed, i),
      second: second === null ? undefined : { fields: second.fields, searched: searchedAt(second.units, i) },
    };
  }
}

/** The units with the vectors of the second space. */
function secondOf(
  row: DocumentRow,
  indexed: readonly IndexedUnit[],
  own: readonly { readonly beside: UnitVectors | null }[],
): { readonly fields: VectorFields; readonly units: readonly IndexedUnit[] } {
  const units = indexed.map((unit, i) => withVectorsOf(unit, own[i]?.beside ?? null));
  return { fields: vectorFields(secondSpaceOf(row) as string), units };
}

/** By which a unit is found. First of the fields, see `unitRowOf`. */
const ownFacts = (organization: string, kind: UnitKind, { id, text }: Pick<Unit, 'id' | 'text'>) => ({
  facts:
    kind === 'chunk'
      ? [chunkTerm(organization, { id }), chunkTerm(organization, { text })]
      : [memoryIdTerm(organization, id), memoryTextTerm(organization, text)],
});

/** Among the facts of a chunk, like those of its document. */
export const chunkTerm = (organization: string, named: { readonly id: string } | { readonly text: string }): string =>
  'id' in named ? termOf('chunk', organization, named.id) : termOf('chunk with text', organization, named.text);

/** Among the facts of a memory of a document, like those of its document. */
export const memoryIdTerm = (organization: string, id: string): string => termOf('memory', organization, id);
/** Returns by which memories with a text are found. */
export const memoryTextTerm = (organization: string, text: string): string =>
  termOf('memory of document that says', organization, foldedText(text));

/** Tags are compared when statements are read: they can change while the units stay. */
const statementTerm = (row: DocumentRow, unit: Unit): string =>
  termOf('statement', row.organization, statementOf({ ...unit, document: { ...row, tags: [] } }));

/** @throws RowRejectedError. Of a still larger one there is no string. */
function entryOf(row: DocumentRow, entry: Parameters<typeof encodeEntry>[0]): string {
  const bytes = Buffer.from(encodeEntry(entry));
  checkRowSize(row, Math.ceil(bytes.length / 3) * 4);
  return bytes.toString('base64');
}

/** @param rows all unit rows of one document in the index */
export function storedSources(organization: string, rows: readonly StoredUnit[]): UnitSource[] {
  const entries = entriesIn(rows, ({ entry }) => entry);
  const fields = rows.map((row) => secondFields(Object.keys(row))).find((found) => found !== null) ?? null;
  const seconds = fields === null ? null : entriesIn(rows, (row) => row[fields.entry as `entry_${string}`]);
  return rows.map((row) => ({
    ...{ kind: row.kind, ordinal: row.ordinal, space: row.space },
    json: JSON.stringify({ ...ownFacts(organization, row.kind, unitFrom(row, row.unit)), ...row }).slice(0, -1),
    searched: searchedAt(entries.get(row.kind) ?? [], row.ordinal),
    second: fields && { fields, searched: searchedAt(seconds?.get(row.kind) ?? [], row.ordinal) },
  }));
}

/** Returns the units of a document in the index, with the vectors of one space. */
export function unitsFrom(rows: readonly StoredUnit[], space: string | null): UnitWithVectors[] {
  const entries = entriesIn(rows, ({ entry }) => entry);
  const own = space === null ? null : toColumn(space);
  return rows.map((row) => {
    const found = row.space === own ? entries.get(row.kind)?.[row.ordinal] : undefined;
    return { unit: unitFrom(row, row.unit), vectors: found === undefined ? null : vectorsIn(found) };
  });
}

const entriesIn = (
  rows: readonly StoredUnit[],
  entryIn: (row: StoredUnit) => string | undefined,
): ReadonlyMap<UnitKind, readonly IndexedUnit[]> =>
  new Map(
    rows.flatMap((row) => {
      const entry = entryIn(row);
      return entry === undefined ? [] : [[row.kind, decodeEntry(Buffer.from(entry, 'base64')).units]];
    }),
  );

/**
 * Completes the JSON of a unit's row.
 * @param place JSON of the document's filter terms without its braces, built once for all its units
 */
export function unitRowOf(json: string, place: string, unitsRevision: number): string {
  const end = `"unitsRevision":${unitsRevision}}`;
  if (!json.startsWith(OWN_FACTS)) return `${json},${place},${end}`;
  // The facts of a unit are its own and those of its document.
  const ownEnd = json.indexOf(']');
  const own = json.slice(OWN_FACTS.length, ownEnd);
  const all = place.replace(FACTS, place.includes(`${FACTS}]`) ? FACTS + own : `${FACTS}${own},`);
  return `{${json.slice(ownEnd + 2)},${all},${end}`;
}

const FACTS = '"facts":[';
const OWN_FACTS = `{${FACTS}`;

/** As `unitRowOf`. */
export function unitRow(
  { json, space, searched: vectors, second }: UnitSource,
  place: string,
  unitsRevision: number,
): string {
  const own = space === undefined ? '' : vectorsJson(vectorFields(fromColumn(space)), vectors);
  const searched = own + (second ? vectorsJson(second.fields, second.searched) : '');
  return unitRowOf(json + searched, place.slice(1, -1), unitsRevision);
}

/** Adds up the term counts of several texts. */
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
