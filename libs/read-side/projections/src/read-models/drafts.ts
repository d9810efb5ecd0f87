import { findVectors, type VectorSource } from '#features/vector-spaces/model';
import { contentHash } from '#platform/kernel';
import type { Cuts, DocumentChange, DocumentRow, NamedPiece, Piece, UnitSet } from '#read-side/views';
import type { DeferredUnits, Incomplete, Projected } from '../read-model.ts';
import type { RowDraft } from './row-draft.ts';
import type { Touched } from './touched-documents.ts';

/** A change, which may lack something; or one whose vectors have to be looked up by the keys of its units. */
export type Draft = (
  | { readonly change: DocumentChange; readonly lacks?: string; readonly deferred?: DeferredUnits }
  | RowDraft
) & {
  readonly touched?: Touched;
  readonly formers?: readonly RowDraft[];
};

const piecesOf = ({ touched, formers = [] }: Draft): readonly RowDraft[] => touched?.pieces ?? formers;

type Upsert = DocumentChange & { readonly kind: 'upsert' };

/** The row of a draft that is no deletion. */
export const rowOf = (draft: Draft): DocumentRow => ('change' in draft ? (draft.change as Upsert).row : draft.row);

/** A deletion, or a document whose units cannot be read. */
export const isIncomplete = (draft: Draft): boolean =>
  'change' in draft && (draft.change.kind === 'delete' || draft.lacks !== undefined);

/** The units of which the views have more than may be shown go, if it cannot be found out which these are. */
export function withoutUnits(draft: Draft, lacks?: string): Draft {
  if ('change' in draft && draft.change.kind === 'delete') return draft;
  const units = { units: [], header: '', vectors: null };
  const known = 'change' in draft && draft.lacks !== undefined ? { lacks: draft.lacks } : {};
  return { ...known, ...(lacks !== undefined && { lacks }), change: { kind: 'upsert', row: rowOf(draft), units } };
}

/** A piece whose vectors are looked up. */
interface CompletePiece {
  readonly piece: Piece;
  readonly named: NamedPiece;
  readonly looks: number;
}

/** Complete pieces of drafts that come again: a further version of a memory leaves the rows of most earlier ones as they are. */
const COMPLETE = new WeakMap<RowDraft, CompletePiece>();
/** A version may be replaced while its vector is being made. Its piece is complete without one after so many looks. */
const LOOKS = 8;

function hasPiece(draft: RowDraft): boolean {
  const known = COMPLETE.get(draft);
  return known !== undefined && (draft.keys === null || known.piece.units.vectors !== null || known.looks >= LOOKS);
}

/** Looks up the vectors of all drafts of a batch at once. */
export async function completeDrafts(source: VectorSource, present: readonly Draft[]): Promise<Projected> {
  const ofPieces = present.flatMap(piecesOf).filter((draft) => !hasPiece(draft));
  const keys = [...present, ...ofPieces].map((draft) => ('keys' in draft ? draft.keys : null));
  const second = present.map((draft) => ('keys' in draft ? (draft.second ?? null) : null));
  const found = await findVectors(source, [...keys, ...second]);
  for (const [i, draft] of ofPieces.entries()) {
    const piece = { row: draft.row, units: unitSet(draft, found[present.length + i]) };
    COMPLETE.set(draft, { piece, named: namedPiece(piece), looks: (COMPLETE.get(draft)?.looks ?? 0) + 1 });
  }
  const changes = present.map((draft, i): DocumentChange => {
    const change = 'change' in draft ? draft.change : upsertOf(draft, found[i], found[keys.length + i]);
    const own = piecesOf(draft).map((piece) => COMPLETE.get(piece) as CompletePiece);
    if ((draft.touched === undefined && own.length === 0) || change.kind === 'delete') return change;
    const cuts: Cuts = { leftOut: draft.touched?.leftOut ?? [], pieces: own.map(({ named }) => named) };
    return { ...change, row: { ...change.row, cuts }, pieces: own.map(({ piece }) => piece) };
  });
  const incomplete = present.flatMap((draft): Incomplete[] => {
    if (!('change' in draft) || draft.lacks === undefined || draft.change.kind === 'delete') return [];
    const { organization, id, contentVersion } = draft.change.row;
    return [{ organization, id, contentVersion, reason: draft.lacks }];
  });
  const deferred = present.flatMap((draft, i) => {
    const change = changes[i];
    if (!('deferred' in draft) || draft.deferred === undefined || change?.kind !== 'upsert') return [];
    return [{ ...draft.deferred, row: change.row }];
  });
  return { changes, deferred, incomplete };
}

/** A memory of a document has its text there, and is embedded with the document. What is of the past is not embedded again. */
const isEmbeddedElsewhere = ({ type, stage, piece }: DocumentRow): boolean =>
  piece !== undefined || (type === 'passage' && stage === 'done');

function upsertOf(draft: RowDraft, vectors: UnitSet['vectors'] | undefined, second: UnitSet['second'] = null): Upsert {
  const { row } = draft;
  // The cache may have lost vectors. A row that says so has them embedded again.
  const isComplete = vectors || isEmbeddedElsewhere(row);
  return {
    kind: 'upsert',
    row: { ...row, vectorSpaces: row.vectorSpaces.slice(0, isComplete ? (second === null ? 1 : 2) : 0) },
    units: { ...unitSet(draft, vectors), ...(vectors && second && { second }) },
  };
}

const unitSet = ({ row, units, header }: RowDraft, vectors: UnitSet['vectors'] | undefined): UnitSet => ({
  ...{ units, header, vectors: vectors ?? null },
  language: row.language,
});

function namedPiece(piece: Piece): NamedPiece {
  const { id, piece: { ordinal, from, until } = NO_PIECE } = piece.row;
  return [id, fingerprintOf(piece), piece.units.units[0]?.kind ?? 'chunk', ordinal, from, until];
}

const NO_PIECE = { ordinal: 0, from: 0, until: null };

/** Changes when the row of a piece has to be written again. */
function fingerprintOf({ row: { revision: _, ...row }, units: { units, header, vectors } }: Piece): string {
  const text = JSON.stringify([row, units, header, vectors?.length ?? 0]);
  return contentHash('piece', text).slice(0, FINGERPRINT_LETTERS);
}

const FINGERPRINT_LETTERS = 12;
