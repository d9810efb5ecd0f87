import { asShown, type FormerUnits, isInDocument, type LiveMemory, type Stay } from '#documents';
import { documentHeader } from '#extraction';
import { contentHash } from '#kernel';
import { type EmbeddedTexts, embeddedTexts, ownSpace, type UnitKeys } from '#vector-spaces/model';
import type { DocumentRow, Unit } from '#views';
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
export type FormerUnitsDraft = RowDraft & { readonly touched?: Touched };

/** A unit with an ordinal in its row, and as the document had it. */
interface Placed {
  readonly read: ReadUnit;
  readonly original: Unit;
}

interface Parts {
  /** Of the document, as it is now. */
  readonly row: DocumentRow;
  readonly former: FormerUnits;
  /** Its units, with ordinals of their own, and those that they had. */
  readonly units: readonly Placed[];
  /** In which they may have vectors. */
  readonly space: string;
  /** Null: they have none. */
  readonly embedded: EmbeddedTexts | null;
  /** Of all units that the document had. */
  readonly places: ReadonlyMap<Unit, number>;
}

/**
 * Returns the rows of units that have left a document, which only a question about a past time finds. What callers have
 * forgotten of its memories is cut from them too.
 * @param row of the document
 * @param viewsSpace vector space of the views
 */
export function formerUnitRows(
  row: DocumentRow,
  former: readonly FormerUnits[],
  touched: TouchedMemories,
  viewsSpace: string,
): readonly FormerUnitsDraft[] {
  const known = new Map<FormerUnits['all'], Pick<Parts, 'embedded' | 'places'>>();
  return former.map((one) => {
    const { document, all } = one;
    const space = ownSpace(document) ?? viewsSpace;
    const whole = known.get(all) ?? {
      embedded: document.vectorSpace === null || all === null ? null : embeddedTexts(space, document, all),
      places: new Map((all ?? []).map((unit, place) => [unit, place])),
    };
    known.set(all, whole);
    const units = renumbered(one.units);
    const parts: Parts = { row, former: one, units, space, ...whole };
    const keys = whole.embedded === null ? null : units.map(({ original }) => keysOf(parts, original) as UnitKeys);
    const draft: RowDraft = {
      row: rowOf(parts, formerUnitsId(row.id, one)),
      units: units.map(({ read }) => read.unit),
      header: documentHeader(document.unitsDate),
      keys,
    };
    const cut = cutsOf(parts, draft.row.id, touched);
    return cut.leftOut.length === 0 ? draft : { ...draft, touched: cut };
  });
}

/** The ordinals of each kind run from 0 without a gap in every row. */
function renumbered(units: readonly Unit[]): readonly Placed[] {
  const next = { chunk: 0, memory: 0 };
  const own = units.map((unit) => ({ ...unit, ordinal: next[unit.kind]++ }));
  return readUnits(own).map((read, i) => ({ read, original: units[i] as Unit }));
}

const keysOf = ({ embedded, places }: Parts, original: Unit): UnitKeys | null =>
  embedded?.keys[places.get(original) as number] ?? null;

function rowOf({ row, former, space }: Parts, id: string): DocumentRow {
  const { cuts: _cuts, size: _size, sent: _sent, hasFormers: _hasFormers, ...shown } = row;
  const { from, until, document } = former;
  return {
    ...shown,
    ...{ id, type: 'former', customId: null, stage: 'done', error: null, isSummarized: true },
    ...{ language: toRow(document, 0).language, updatedAt: until ?? row.updatedAt, vectorSpaces: [space] },
    piece: { documentId: row.id, type: row.type, ordinal: 0, from, until, isFormer: true },
  };
}

/**
 * Whatever expires later is left out from then on, and cut when that is recorded: these rows have no moments of their own for
 * it.
 */
function cutsOf(parts: Parts, id: string, { memories, erased }: TouchedMemories): Touched {
  const gone = memories.map(({ live }) => (live.memory.isExpired ? asForgotten(live) : live));
  const reads = parts.units.map(({ read }) => read);
  const cuts = cutUnits(reads, gone, erased);
  const isGone = new Set(cuts.leftOut.flatMap(([kind, ordinal, from]) => (from === 0 ? [`${kind} ${ordinal}`] : [])));
  const pieces = parts.units.flatMap(({ read, original }): readonly RowDraft[] => {
    const { unit } = read;
    const touched = memories.find(({ live }) => unit.kind === 'memory' && live.id === unit.id);
    if (touched !== undefined) return versionRows(parts, id, { ...touched, read, original }, cuts);
    if (!isGone.has(`${unit.kind} ${unit.ordinal}`)) return [];
    const left = cuts.remains.findLast((one) => one.unit === unit);
    return left === undefined ? [] : [remainsRow(parts, id, { ...left, original }, cuts)];
  });
  return { leftOut: cuts.leftOut, pieces, memories: [] };
}

const asForgotten = (live: LiveMemory): LiveMemory => ({
  ...live,
  memory: { ...live.memory, forgotten: { reason: null, at: 0 } },
});

/** What is left of a unit of which sentences are cut. */
function remainsRow(
  parts: Parts,
  id: string,
  { unit, text, from, original: { ordinal } }: Remains & { readonly original: Unit },
  cuts: CutUnits,
): RowDraft {
  const { row, former, embedded } = parts;
  const members = embedded?.members.get(unit.id) ?? [];
  const kept = new Set(members.filter((member) => !cuts.isCut(member, from)));
  const bare = (former.all ?? []).flatMap((one, i) => (kept.has(one.id) ? (embedded?.keys[i]?.bare ?? []) : []));
  const own = contentHash('former piece', id, unit.kind, unit.id).slice(0, ID_LETTERS);
  const shown = rowOf(parts, own);
  return {
    row: { ...shown, piece: { ...pieceIn(shown), documentId: row.id, unitId: unit.id, ordinal } },
    ...{ units: [{ ...unit, ordinal: 0, text }], header: documentHeader(former.document.unitsDate) },
    keys: unit.kind === 'chunk' && bare.length > 0 ? [{ bare, wide: null, tokens: 0 }] : null,
  };
}

const pieceIn = ({ piece }: DocumentRow): NonNullable<DocumentRow['piece']> =>
  piece as NonNullable<DocumentRow['piece']>;

/** All versions that a touched memory had while its passage was in the document. */
function versionRows(
  parts: Parts,
  id: string,
  { live, revision, read, original }: TouchedMemories['memories'][number] & Placed,
  cuts: CutUnits,
): readonly RowDraft[] {
  const { row, space } = parts;
  const { unit } = read;
  const text = cuts.withoutOthers(live, read);
  if (text === '' && isInDocument(live.memory)) return [];
  const keys = text === unit.text ? keysOf(parts, original) : null;
  const own = memoryRow(toRow(live, revision), { document: row, memory: live.memory, passage: unit.text });
  const shown = asShown(live, { text: unit.text, tags: row.tags, createdAt: row.createdAt });
  const passage = { document: row, unit: { ...unit, text }, keys };
  return departedRows(own, shown, space, passage, { owner: id, until: parts.former.until });
}
