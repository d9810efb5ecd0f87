import type { FormerUnits, Live, Stay } from '#features/documents';
import { isInDocument, withPassage } from '#features/memories';
import { embeddedTexts, ownSpace, type UnitKeys } from '#features/vector-spaces/model';
import { contentHash } from '#platform/kernel';
import { documentHeader } from '#processing/extraction';
import type { DocumentRow, Unit } from '#read-side/views';
import { memoryRow, toRow } from '../document-row.ts';
import { type CutUnits, cutUnits, type ReadUnit, type Remains, readUnits } from './cut-units.ts';
import { departedRows } from './former-rows.ts';
import type { RowDraft } from './row-draft.ts';
import type { Touched, TouchedMemories } from './touched-documents.ts';

const ID_LETTERS = 22;

/** Returns the id of the row of units that have left a document. */
export const formerUnitsId = (documentId: string, { came, left }: Stay): string =>
  contentHash('former units', documentId, `${came}`, `${left}`).slice(0, ID_LETTERS);

/** A row of units that have left, with those of what is shown in place of some of them. */
type FormerUnitsDraft = RowDraft & { readonly touched?: Touched };

/** A unit with an ordinal in its row, and as the document had it. */
interface Placed {
  readonly unit: Unit;
  readonly original: Unit;
}

interface Parts {
  /** Of the document, as it is now. */
  readonly row: DocumentRow;
  readonly former: FormerUnits<FormerKeys | null>;
  readonly units: readonly Placed[];
  /** In which they may have vectors. */
  readonly space: string;
}

/** By which units that have left are compared. */
export interface FormerKeys {
  readonly ofUnit: ReadonlyMap<Unit, UnitKeys>;
  /** Of the memories of chunks among them, by the ids of the chunks. */
  readonly members: ReadonlyMap<string, readonly { readonly unit: Unit; readonly bare: readonly string[] }[]>;
}

/** Space of the vectors of units that have left a document. */
const spaceOf = (document: Live, viewsSpace: string): string => ownSpace(document) ?? viewsSpace;

/** Null: the document had no vectors. @param own those of the units of the document that have left */
export function formerKeys(
  viewsSpace: string,
  document: Live,
  all: readonly Unit[],
  own: readonly Unit[],
): FormerKeys | null {
  if (document.vectorSpace === null) return null;
  const wanted = new Set(own);
  const embedded = embeddedTexts(spaceOf(document, viewsSpace), document, all, (unit) => wanted.has(unit));
  const keys = new Map(all.map((unit, place) => [unit, embedded.keys[place] as UnitKeys]));
  const chunks = own.filter(({ kind }) => kind === 'chunk');
  const named = new Set(chunks.flatMap(({ id }) => embedded.members.get(id) ?? []));
  const memories = new Map(
    all.flatMap((unit) => (unit.kind === 'memory' && named.has(unit.id) ? [[unit.id, unit]] : [])),
  );
  const membersOf = (chunk: Unit) =>
    (embedded.members.get(chunk.id) ?? []).flatMap((id) => {
      const unit = memories.get(id);
      return unit === undefined ? [] : [{ unit, bare: keys.get(unit)?.bare ?? [] }];
    });
  return {
    ofUnit: new Map(own.map((unit) => [unit, keys.get(unit) as UnitKeys])),
    members: new Map(chunks.map((chunk) => [chunk.id, membersOf(chunk)])),
  };
}

/**
 * Returns the rows of units that have left a document, which only a question about a past time finds. What callers have
 * forgotten of its memories is cut from them too.
 * @param row of the document
 * @param viewsSpace vector space of the views
 */
export function formerUnitRows(
  row: DocumentRow,
  former: readonly FormerUnits<FormerKeys | null>[],
  touched: TouchedMemories,
  viewsSpace: string,
): readonly FormerUnitsDraft[] {
  return former.map((one) => {
    const units = renumbered(one.units);
    const parts: Parts = { row, former: one, units, space: spaceOf(one.document, viewsSpace) };
    const draft: RowDraft = {
      row: rowOf(parts, formerUnitsId(row.id, one)),
      units: units.map(({ unit }) => unit),
      header: documentHeader(one.document.unitsDate),
      keys: one.context && units.map(({ original }) => keysOf(parts, original) as UnitKeys),
    };
    if (touched.memories.length === 0 && touched.erased.size === 0) return draft;
    const cut = cutsOf(parts, draft.row.id, touched);
    return cut.leftOut.length === 0 ? draft : { ...draft, touched: cut };
  });
}

/** The ordinals of each kind run from 0 without a gap in every row. */
function renumbered(units: readonly Unit[]): readonly Placed[] {
  const next = { chunk: 0, memory: 0 };
  const own = units.map((unit) => ({ ...unit, ordinal: next[unit.kind]++ }));
  return own.map((unit, i) => ({ unit, original: units[i] as Unit }));
}

const keysOf = ({ former }: Parts, original: Unit): UnitKeys | null => former.context?.ofUnit.get(original) ?? null;

function rowOf({ row, former, space }: Parts, id: string): DocumentRow {
  const { cuts: _cuts, size: _size, sent: _sent, storedBytes: _storedBytes, hasFormers: _hasFormers, ...shown } = row;
  const { from, until, document } = former;
  return {
    ...shown,
    ...{ id, type: 'former', customId: null, stage: 'done', error: null, isSummarized: true },
    ...{ language: toRow(document, 0).language, updatedAt: until ?? row.updatedAt, vectorSpaces: [space] },
    piece: { documentId: row.id, type: row.type, ordinal: 0, from, until, isFormer: true },
  };
}

function cutsOf(parts: Parts, id: string, { memories, erased }: TouchedMemories): Touched {
  const reads = readUnits(parts.units.map(({ unit }) => unit));
  const own = memories.map(({ live }) => live.memory);
  const cuts = cutUnits([...reads, ...otherMembers(parts)], own, erased);
  const leftOut = cuts.leftOut.filter(([, ordinal]) => ordinal !== ELSEWHERE);
  const byId = new Map(memories.map((one) => [one.live.id, one]));
  const remains = Map.groupBy(cuts.remains, ({ unit }) => unit);
  const pieces = parts.units.flatMap(({ unit, original }, i): readonly RowDraft[] => {
    const touched = unit.kind === 'memory' ? byId.get(unit.id) : undefined;
    if (touched === undefined) {
      return (remains.get(unit) ?? []).map((one) => remainsRow(parts, id, { ...one, original }, cuts));
    }
    return versionRows(parts, id, { ...touched, read: reads[i] as ReadUnit, original }, cuts);
  });
  return { leftOut, pieces, memories: [] };
}

/** Ordinal of units that are in no row of what has left. */
const ELSEWHERE = -1;

/** Memories of chunks that have left, which have not left themselves: of these too it counts whether they are cut. */
function otherMembers({ former }: Parts): readonly ReadUnit[] {
  const own = new Set(former.units);
  const members = [...(former.context?.members.values() ?? [])].flat().map(({ unit }) => unit);
  return readUnits([...new Set(members)].flatMap((unit) => (own.has(unit) ? [] : [{ ...unit, ordinal: ELSEWHERE }])));
}

/** What is left of a unit of which sentences are cut, for a time. */
function remainsRow(
  parts: Parts,
  id: string,
  { unit, text, from, until, original: { ordinal } }: Remains & { readonly original: Unit },
  cuts: CutUnits,
): RowDraft {
  const { former } = parts;
  const members = former.context?.members.get(unit.id) ?? [];
  const bare = members.flatMap((member) => (cuts.isCut(member.unit.id, from) ? [] : member.bare));
  const own = contentHash('former piece', id, unit.kind, unit.id, `${from}`).slice(0, ID_LETTERS);
  const shown = rowOf(parts, own);
  return {
    row: { ...shown, piece: { ...pieceIn(shown), unitId: unit.id, ordinal, cut: { from, until } } },
    ...{ units: [{ ...unit, ordinal: 0, text }], header: documentHeader(former.document.unitsDate) },
    keys: unit.kind === 'chunk' && bare.length > 0 ? [{ bare, wide: null, tokens: 0 }] : null,
  };
}

const pieceIn = ({ piece }: DocumentRow): NonNullable<DocumentRow['piece']> =>
  piece as NonNullable<DocumentRow['piece']>;

type Versioned = TouchedMemories['memories'][number] & { readonly read: ReadUnit; readonly original: Unit };

/** All versions that a touched memory had while its passage was in the document. */
function versionRows(
  parts: Parts,
  id: string,
  { live, revision, read, original }: Versioned,
  cuts: CutUnits,
): readonly RowDraft[] {
  const { row, space } = parts;
  const { unit } = read;
  const text = cuts.withoutOthers(live.memory, read);
  if (text === '' && isInDocument(live.memory)) return [];
  const keys = text === unit.text ? keysOf(parts, original) : null;
  const own = memoryRow(toRow(live, revision), { document: row, memory: live.memory, passage: unit.text });
  const complete = withPassage(live.memory, row, unit.text);
  const passage = { document: row, unit: { ...unit, text }, keys };
  return departedRows(own, complete, space, passage, { owner: id, until: parts.former.until });
}
