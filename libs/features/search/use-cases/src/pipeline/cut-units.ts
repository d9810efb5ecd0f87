import type { Scope } from '#platform/kernel';
import type { HitsAsOf } from '#read-side/as-of';
import { type DocumentRow, shownUnits, type Unit, type UnitKind, type ViewsReader } from '#read-side/views';
import type { CandidateQuery } from './search-plan.ts';

/** Units of a document, by their ordinals. */
export interface OrdinalsOfDocument {
  readonly document: DocumentRow;
  readonly ordinals: readonly number[];
}

export interface UnitOfDocument {
  readonly documentId: string;
  readonly unit: Unit;
}

/**
 * Reads units of documents as searches show them: without what is forgotten or expired.
 * @param at milliseconds since the epoch
 */
export async function readCut(
  views: Pick<ViewsReader, 'units'>,
  { scope, kind, at }: { readonly scope: Scope; readonly kind: UnitKind; readonly at: number },
  wanted: readonly OrdinalsOfDocument[],
): Promise<readonly UnitOfDocument[]> {
  const places = wanted.flatMap(({ document: { id, cuts }, ordinals }) => {
    const shownAt = shownUnits(cuts, kind, at);
    return ordinals.flatMap((ordinal) => {
      const shown = shownAt(ordinal);
      if (shown === 'nothing') return [];
      const source = shown === 'whole' ? { documentId: id, ordinal } : { documentId: shown.pieceId, ordinal: 0 };
      return [{ documentId: id, ordinal, source }];
    });
  });
  if (places.length === 0) return [];
  const sources = places.map(({ source }) => ({ documentId: source.documentId, kind, ordinals: [source.ordinal] }));
  const unitAt = byPlace(await views.units(scope, sources));
  return places.flatMap(({ documentId, ordinal, source }) => {
    const unit = unitAt(source.documentId, source.ordinal);
    return unit === undefined ? [] : [{ documentId, unit: { ...unit, ordinal } }];
  });
}

/**
 * Reads chunks as `readCut` does; of a document that has changed since the time of the question, all chunks that it had then.
 * @param asOf null: the question is about the present
 */
export async function readChunks(
  views: Pick<ViewsReader, 'units'>,
  { scope, cutAt: at }: Pick<CandidateQuery, 'scope' | 'cutAt'>,
  wanted: readonly OrdinalsOfDocument[],
  asOf: HitsAsOf | null,
): Promise<readonly UnitOfDocument[]> {
  const past = await Promise.all(wanted.map(({ document }) => asOf?.chunks(document) ?? null));
  const unchanged = wanted.filter((_, i) => past[i] === null);
  return [
    ...(await readCut(views, { scope, kind: 'chunk', at }, unchanged)),
    ...wanted.flatMap(({ document: { id: documentId } }, i) => (past[i] ?? []).map((unit) => ({ documentId, unit }))),
  ];
}

/** Returns a function that finds a unit by its document and ordinal. */
export function byPlace(units: readonly UnitOfDocument[]): (documentId: string, ordinal: number) => Unit | undefined {
  const places = new Map(units.map(({ documentId, unit }) => [`${documentId} ${unit.ordinal}`, unit]));
  return (documentId, ordinal) => places.get(`${documentId} ${ordinal}`);
}

/** Returns the first unit of a document of which something is shown. */
export function firstShown({ cuts }: DocumentRow, kind: UnitKind, at: number): number {
  const shown = shownUnits(cuts, kind, at);
  let ordinal = 0;
  while (shown(ordinal) === 'nothing') ordinal += 1;
  return ordinal;
}
