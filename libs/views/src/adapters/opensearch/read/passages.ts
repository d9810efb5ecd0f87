import type { Scope } from '#kernel';
import type { DocumentRow, Unit } from '../../../documents.ts';
import type { ViewsReader } from '../../../port.ts';
import { foldedText } from '../../../statements.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection, Hit } from '../connection.ts';
import { isPiece } from '../moments.ts';
import { inScope, isDirect } from '../terms.ts';
import { STORED_UNIT, storedUnit, unitFrom } from '../unit-hits.ts';
import { memoryIdTerm, memoryTextTerms, parseUnitId } from '../units.ts';
import { WINDOW } from './paging.ts';

type Wanted = Parameters<ViewsReader['passages']>[1];

/** Finds the rows of memories of documents. */
export async function findPassages(
  connection: Connection,
  aliases: Aliases,
  scope: Scope,
  wanted: Wanted,
): Promise<readonly Hit<unknown>[]> {
  const { organization } = scope;
  const terms =
    'ids' in wanted
      ? wanted.ids.map((id) => memoryIdTerm(organization, id))
      : wanted.texts.flatMap((text) => memoryTextTerms(organization, text));
  const filter = [...inScope(scope), { term: { kind: 'memory' } }, { terms: { facts: terms } }];
  const query = { bool: { filter, must_not: [isDirect, isPiece] } };
  const body = { query, size: WINDOW, track_total_hits: false, ...STORED_UNIT };
  const [answer] = await connection.search([{ index: aliases.of('units'), body }]);
  return answer?.hits.hits ?? [];
}

/** Returns the memories of rows, those of the newest documents first. */
export function passagesFrom(
  hits: readonly Hit<unknown>[],
  documents: ReadonlyMap<string, { readonly row: DocumentRow; readonly unitsRevision: number }>,
  wanted: Wanted,
): { readonly unit: Unit; readonly document: DocumentRow }[] {
  const named = new Set('ids' in wanted ? wanted.ids : wanted.texts.map(foldedText));
  const found = hits.flatMap((hit) => {
    const place = parseUnitId(hit._id);
    const document = documents.get(place.document);
    const stored = storedUnit(hit);
    if (document === undefined || stored === null || stored.revision < document.unitsRevision) return [];
    const unit = unitFrom(place, stored.json);
    return named.has('ids' in wanted ? unit.id : foldedText(unit.text)) ? [{ unit, document: document.row }] : [];
  });
  return found.sort((a, b) => b.document.createdAt - a.document.createdAt || a.unit.ordinal - b.unit.ordinal);
}
