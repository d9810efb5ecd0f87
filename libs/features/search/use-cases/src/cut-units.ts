import type { Scope } from '#platform/kernel';
import {
  type DocumentRow,
  type ShownUnit,
  shownUnits,
  type Unit,
  type UnitKind,
  type ViewsReader,
} from '#read-side/views';

interface Wanted {
  readonly document: DocumentRow;
  readonly ordinals: readonly number[];
}

/**
 * Reads units of documents as searches show them: without what is forgotten or expired.
 * @param at milliseconds since the epoch
 */
export async function readCut(
  views: Pick<ViewsReader, 'units'>,
  { scope, kind, at }: { readonly scope: Scope; readonly kind: UnitKind; readonly at: number },
  wanted: readonly Wanted[],
): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]> {
  const places = wanted.flatMap(({ document, ordinals }) => {
    const shown = shownUnits(document.cuts, kind, at);
    return ordinals.flatMap((ordinal) => placeOf(document.id, ordinal, shown(ordinal)));
  });
  if (places.length === 0) return [];
  const asked = places.map(({ documentId, at: place }) => ({ documentId, kind, ordinals: [place] }));
  const units = await views.units(scope, asked);
  const byPlace = new Map(units.map(({ documentId, unit }) => [`${documentId} ${unit.ordinal}`, unit]));
  return places.flatMap(({ documentId, at: place, shownAs }) => {
    const unit = byPlace.get(`${documentId} ${place}`);
    return unit === undefined ? [] : [{ documentId: shownAs.documentId, unit: { ...unit, ...shownAs.unit } }];
  });
}

interface Place {
  readonly documentId: string;
  readonly at: number;
  readonly shownAs: { readonly documentId: string; readonly unit: Pick<Unit, 'ordinal'> };
}

function placeOf(documentId: string, ordinal: number, shown: ShownUnit): readonly Place[] {
  const shownAs = { documentId, unit: { ordinal } };
  if (shown === 'nothing') return [];
  return [shown === 'whole' ? { documentId, at: ordinal, shownAs } : { documentId: shown.pieceId, at: 0, shownAs }];
}

/** Returns the first unit of a document of which something is shown. */
export function firstShown({ cuts }: DocumentRow, kind: UnitKind, at: number): number {
  const shown = shownUnits(cuts, kind, at);
  let ordinal = 0;
  while (shown(ordinal) === 'nothing') ordinal += 1;
  return ordinal;
}
