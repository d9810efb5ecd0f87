import {
  dateOfVersion,
  type Memory,
  type MemoryVersion,
  type NumberedVersion,
  numberedVersions,
  supersededVersions,
  type ValidTime,
  validTimes,
} from '#features/memories';
import { embeddedTexts, type UnitKeys } from '#features/vector-spaces/model';
import { contentHash } from '#platform/kernel';
import { documentHeader } from '#processing/extraction';
import { type DocumentRow, dateOf, NEVER, textHash, type Unit } from '#read-side/views';
import type { RowDraft } from './row-draft.ts';

const ID_LETTERS = 22;

/** What of an earlier version is in the document that the memory was formed from. */
export interface InDocument {
  readonly document: DocumentRow;
  readonly unit: Unit;
  /** Null: the document has no vectors. */
  readonly keys: UnitKeys | null;
}

/** Where the passage of a memory is not in its document any more, so that its latest version is of the past too. */
export interface Departed {
  /** Id of the row of the units that have left with the passage. */
  readonly owner: string;
  /** When it left: milliseconds since the epoch. Null: the content after it is not indexed yet. */
  readonly until: number | null;
}

/**
 * Returns the rows of the earlier versions of a memory, which only a question about a past time finds.
 * @param row of the memory
 * @param memory its first version has the time and the text of its document, if it was formed from one
 * @param space in which they may have vectors
 * @param passage null: the memory was recorded directly
 */
export function formerRows(
  row: DocumentRow,
  memory: Memory,
  space: string,
  passage: InDocument | null,
): readonly RowDraft[] {
  const formers = supersededVersions(memory);
  const [first] = formers;
  if (first === undefined) return [];
  // All rows have in common what the row of the same version has at any time.
  const { revision: _, ...common } = formerRow(row, { ...first, until: 0 }, { id: '', space, passage, valid: NEVER });
  const context = JSON.stringify(common);
  const all = validTimes(memory, passage && dateOf(passage.document.documentDate));
  return formers.map((former, i) => {
    const valid = all[i] as ValidTime;
    const kept = KEPT.get(former.version);
    if (kept?.context === context && kept.until === former.until && isEqual(kept.valid, valid)) return kept.draft;
    const id = contentHash('former', row.id, former.version.id).slice(0, ID_LETTERS);
    const draft = draftOf(formerRow(row, former, { id, space, passage, valid }), former, memory, passage);
    // The text and the vectors of a version that is in its document change with the document.
    if (!former.isInDocument) KEPT.set(former.version, { context, until: former.until, valid, draft });
    return draft;
  });
}

/** Rows of earlier versions, and what they follow from beside the version. A further version leaves most of them as they are. */
const KEPT = new WeakMap<MemoryVersion, KeptRow>();

interface KeptRow {
  /** What it has in common with the rows of the other versions. */
  readonly context: string;
  readonly until: number | null;
  readonly valid: ValidTime;
  readonly draft: RowDraft;
}

const isEqual = (a: ValidTime, b: ValidTime): boolean => a.from === b.from && a.until === b.until;

/** The same of all versions of a memory whose passage has left its document. None of them counts for a date. */
export function departedRows(
  row: DocumentRow,
  memory: Memory,
  space: string,
  passage: InDocument,
  { owner, until }: Departed,
): readonly RowDraft[] {
  return numberedVersions(memory).map((version) => {
    const id = contentHash('former', owner, version.version.id).slice(0, ID_LETTERS);
    const former = { ...version, until: version.until ?? until };
    return draftOf(formerRow(row, former, { id, space, passage, valid: NEVER }), former, memory, passage);
  });
}

function draftOf(row: DocumentRow, former: NumberedVersion, memory: Memory, passage: InDocument | null): RowDraft {
  const { unit, header, keys } = contentOf(former, memory, row.vectorSpaces[0] as string, passage);
  return { row, units: [unit], header, keys: keys && [keys] };
}

function contentOf(
  { version, isInDocument }: NumberedVersion,
  memory: Memory,
  space: string,
  passage: InDocument | null,
): { readonly unit: Unit; readonly header: string; readonly keys: UnitKeys | null } {
  if (isInDocument && passage !== null) {
    const { unit, keys } = passage;
    return { unit: { ...unit, ordinal: 0 }, header: documentHeader(passage.document.documentDate), keys };
  }
  const unit: Unit = { id: version.id, kind: 'memory', ordinal: 0, text: version.text, speaker: null };
  const unitsDate = dateOfVersion(version);
  const [keys = null] = embeddedTexts(space, { organization: memory.organization, unitsDate }, [unit]).keys;
  return { unit, header: documentHeader(unitsDate), keys };
}

function formerRow(
  { cuts: _cuts, size: _size, sent: _sent, storedBytes: _storedBytes, ...row }: DocumentRow,
  { version, number, until, isInDocument }: NumberedVersion,
  {
    id: rowId,
    space,
    passage,
    valid,
  }: {
    readonly id: string;
    readonly space: string;
    readonly passage: InDocument | null;
    readonly valid: ValidTime;
  },
): DocumentRow {
  const { id, text, isStatic, forgetAfter, temporalContext, language, createdAt } = version;
  const metadata = { ...passage?.document.metadata, ...version.metadata };
  const { memory } = row;
  return {
    ...row,
    ...{ id: rowId, type: 'former', customId: null },
    ...{ stage: 'done', error: null, isSummarized: true, createdAt, updatedAt: createdAt },
    contentVersion: number,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    ...(passage?.document.frontMatter && { frontMatter: passage.document.frontMatter }),
    documentDate: dateOfVersion(version) ?? passage?.document.documentDate ?? null,
    language: language ?? passage?.document.language ?? null,
    vectorSpaces: [space],
    // Whether it is forgotten or has expired is that of today. The record of an expiry is due for the latest version alone.
    ...(memory && {
      memory: {
        ...{ ...memory, version: number, isStatic, forgetAfter, temporalContext, expiresAt: null, valid },
        forgetReason: memory.isForgotten ? memory.forgetReason : version.forgetReason,
        textHash: textHash(row.organization, isInDocument && passage !== null ? passage.unit.text : text),
      },
    }),
    piece: { documentId: row.id, type: row.type, unitId: id, ordinal: 0, from: createdAt, until, isFormer: true },
  };
}
