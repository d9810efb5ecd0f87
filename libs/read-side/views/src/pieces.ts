import type { Cuts, DocumentChange, DocumentRow, LeftUnit, Piece, Unit, UnitKind } from './documents.ts';
import type { DocumentQuery } from './queries.ts';

const NO_PIECES: Cuts['pieces'] = [];

/** Whether a row is of units that have left their document, or of what remains of one of them. */
export const isOfLeftUnits = ({ memory, piece }: Pick<DocumentRow, 'memory' | 'piece'>): boolean =>
  memory === undefined && piece?.isFormer === true;

/** For which times a row that names none is shown. */
export const ALWAYS = { from: 0, until: null } as const;

/** Returns the changes of a document's pieces. @param stored what its row says of them. Undefined: it has none */
export function pieceChanges(change: DocumentChange, stored: Cuts | undefined): DocumentChange[] {
  const before = stored?.pieces ?? NO_PIECES;
  const { organization, revision } = change.kind === 'delete' ? change : change.row;
  const after = change.kind === 'delete' ? NO_PIECES : (change.row.cuts?.pieces ?? NO_PIECES);
  if (before.length === 0 && after.length === 0) return [];
  const gone = new Map(before.map(([id, fingerprint]) => [id, fingerprint]));
  const changed = new Set<string>();
  for (const [id, fingerprint] of after) {
    if (gone.get(id) !== fingerprint) changed.add(id);
    gone.delete(id);
  }
  const pieces: readonly Piece[] = (change.kind === 'upsert' && change.pieces) || [];
  return [
    ...pieces
      .filter(({ row: { id } }) => changed.has(id))
      .map(({ row, units }) => ({ kind: 'upsert', row, units }) as const),
    ...[...gone.keys()].map((id) => ({ kind: 'delete', organization, id, revision }) as const),
  ];
}

/** Returns a hit as that of its document or memory, if it is one of a piece. */
export function asOfDocument<T extends { readonly unit: Unit; readonly document: DocumentRow }>(
  hit: T,
): T & { readonly isCut?: true; readonly hasLeft?: true } {
  const { piece, ...row } = hit.document;
  if (piece === undefined) return hit;
  const { unitId, ordinal } = piece;
  const unit = unitId === undefined ? hit.unit : { ...hit.unit, id: unitId, ordinal };
  const document = { ...row, id: piece.documentId, type: piece.type };
  if (!piece.isFormer) return { ...hit, unit, document, isCut: true };
  return isOfLeftUnits(hit.document) ? { ...hit, unit, document, hasLeft: true } : { ...hit, unit, document };
}

/** What is shown in place of a unit: itself, a piece, or nothing. */
export type ShownUnit = 'whole' | 'nothing' | { readonly pieceId: string };

/** Returns what is shown of units of one kind of a document at a time. */
export function shownUnits(cuts: Cuts | undefined, kind: UnitKind, at: number): (ordinal: number) => ShownUnit {
  const left = new Set(leftOutOf(cuts?.leftOut ?? [], kind, at));
  const pieces = new Map(
    cuts?.pieces.flatMap(([pieceId, , of, ordinal, from, until]) =>
      of === kind && from <= at && (until === null || until > at) ? [[ordinal, { pieceId }] as const] : [],
    ),
  );
  return (ordinal) => (left.has(ordinal) ? (pieces.get(ordinal) ?? 'nothing') : 'whole');
}

/** Returns the ordinals of units of one kind that are left out at a time. @param at undefined: ever */
export const leftOutOf = (
  leftOut: readonly LeftUnit[],
  kind: UnitKind,
  at: number = Number.POSITIVE_INFINITY,
): readonly number[] => leftOut.flatMap(([of, ordinal, from]) => (of === kind && from <= at ? [ordinal] : []));

/** Milliseconds since the epoch: every moment that a row names is before it. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER;

/** Returns the time for which a query cuts units. */
export const cutTime = ({ cutAt }: Pick<DocumentQuery, 'cutAt'>): number => cutAt ?? END_OF_TIME;
