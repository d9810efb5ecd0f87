import type { Live, MemoryDocument } from '#features/documents';
import { unitsOf } from '#features/documents';
import { isInDocument, latestVersion, withPassage } from '#features/memories';
import { type EmbeddedTexts, embeddedTexts, ownSpace } from '#features/vector-spaces/model';
import { contentHash } from '#platform/kernel';
import type { DocumentRow, Unit } from '#read-side/views';
import { memoryRow, toRow } from '../document-row.ts';
import { type CutUnits, type ReadUnit, type Remains, readUnits } from './cut-units.ts';
import { formerRows } from './former-rows.ts';
import type { RowDraft } from './row-draft.ts';

const ID_LETTERS = 22;

/** Returns the id of the row of what remains of a unit. */
const pieceId = (document: Live, { unit, from }: Remains): string =>
  contentHash('piece', document.id, unit.kind, unit.id, `${unit.ordinal}`, `${from}`).slice(0, ID_LETTERS);

/** What the rows of touched memories and of pieces follow from. */
export interface TouchedDocument {
  readonly document: Live;
  readonly row: DocumentRow;
  readonly units: readonly ReadUnit[];
  readonly header: string;
  /** Of the document. */
  readonly space: string;
  readonly viewsSpace: string;
  /** Null: the units have no vectors. */
  readonly embedded: EmbeddedTexts | null;
}

/** The row of a touched memory whose passage is in its document. */
export function touchedRow(
  { row, header, units, embedded, space, viewsSpace }: TouchedDocument,
  read: ReadUnit,
  { live, revision }: { readonly live: MemoryDocument; readonly revision: number },
  cuts: CutUnits,
): RowDraft {
  const isOwn = !isInDocument(live.memory);
  const text = isOwn ? latestVersion(live.memory).text : cuts.withoutOthers(live.memory, read);
  const { speaker, location } = read.unit;
  const unit: Unit = {
    ...{ id: latestVersion(live.memory).id, kind: 'memory', ordinal: 0, text },
    ...(isOwn ? { speaker: null } : { speaker, ...(location && { location }) }),
  };
  const own = memoryRow(toRow(live, revision), { document: row, memory: live.memory, passage: read.unit.text });
  const inDocument = embedded?.keys[units.indexOf(read)] ?? null;
  if (isOwn) {
    const ofVersion = ownSpace(live) ?? viewsSpace;
    const complete = withPassage(live.memory, row, read.unit.text);
    const formers = formerRows(own, complete, ofVersion, { document: row, unit: read.unit, keys: inDocument });
    if (live.vectorSpace === null) return { row: own, units: [unit], header, keys: null, formers };
    const embeddedRow = { ...own, vectorSpaces: [ofVersion] };
    return { row: embeddedRow, units: [unit], header, keys: embeddedTexts(ofVersion, live, [unit]).keys, formers };
  }
  const keys = text === read.unit.text ? inDocument : null;
  return {
    row: { ...own, vectorSpaces: [space] },
    ...{ units: text === '' ? [] : [unit], header, keys: keys ? [keys] : null },
  };
}

/** The row of a piece. A chunk is compared by those of its memories of which nothing is cut. */
export function pieceRow(
  { document, row, header, space, units, embedded }: TouchedDocument,
  remains: Remains,
  cuts: CutUnits,
): RowDraft {
  const { unit, text, from, until } = remains;
  const { memory: _memory, cuts: _cuts, isSummarized: _isSummarized, size: _size, sent: _sent, ...shown } = row;
  const id = pieceId(document, remains);
  const members = embedded?.members.get(unit.id) ?? [];
  const kept = new Set(members.filter((member) => !cuts.isCut(member, from)));
  const bare = units.flatMap((read, i) => (kept.has(read.unit.id) ? (embedded?.keys[i]?.bare ?? []) : []));
  return {
    row: {
      ...{ ...shown, id, type: 'piece', customId: null, stage: 'done', error: null, isSummarized: true },
      piece: { documentId: row.id, type: row.type, unitId: unit.id, ordinal: unit.ordinal, from, until },
      vectorSpaces: [space],
    },
    ...{ units: [{ ...unit, id, ordinal: 0, text }], header },
    keys: unit.kind === 'chunk' && bare.length > 0 ? [{ bare, wide: null, tokens: 0 }] : null,
  };
}

/** Units of documents by what holds their memories, for decisions that follow each other. */
const READ = new WeakMap<object, readonly ReadUnit[]>();

/** Returns the units of a document whose memories are formed. */
export async function unitsRead(document: Live, texts: Parameters<typeof unitsOf>[1]): Promise<readonly ReadUnit[]> {
  const key = document.memories as object;
  const known = READ.get(key);
  if (known !== undefined) return known;
  const units = readUnits(await unitsOf(document, texts));
  READ.set(key, units);
  return units;
}
