import type { Scope } from '#platform/kernel';
import type { DocumentRow, Unit } from '../../../documents.ts';
import { asOfDocument } from '../../../pieces.ts';
import type { ViewsReader } from '../../../port.ts';
import { foldedText } from '../../../statements.ts';
import type { Aliases } from '../aliases.ts';
import type { Body, Connection, Hit } from '../connection.ts';
import { isFormer, isPiece } from '../moments.ts';
import { inScope, isDirect } from '../terms.ts';
import { STORED_UNIT, storedUnit, unitFrom } from '../unit-hits.ts';
import { chunkTerm, memoryIdTerm, memoryTextTerm, parseUnitId } from '../units.ts';
import { WINDOW } from './paging.ts';

type PassageQuery = Parameters<ViewsReader['passages']>[1];
type ChunkNames = Parameters<ViewsReader['chunks']>[1];
type Documents = ReadonlyMap<string, { readonly row: DocumentRow; readonly unitsRevision: number }>;
type PassageRow = { readonly unit: Unit; readonly document: DocumentRow };

/** Finds the rows of memories of documents. */
export function findPassages(
  connection: Connection,
  aliases: Aliases,
  scope: Scope,
  wanted: PassageQuery,
): Promise<readonly Hit<unknown>[]> {
  const { organization } = scope;
  const terms =
    'ids' in wanted
      ? wanted.ids.map((id) => memoryIdTerm(organization, id))
      : wanted.texts.map((text) => memoryTextTerm(organization, text));
  const filter = [...inScope(scope), { term: { kind: 'memory' } }, { terms: { facts: terms } }];
  return findUnits(connection, aliases, { filter, must_not: [isDirect, isPiece] });
}

/** Finds the rows of chunks of documents, and of what remains of them. */
export function findChunks(
  connection: Connection,
  aliases: Aliases,
  scope: Scope,
  named: ChunkNames,
): Promise<readonly Hit<unknown>[]> {
  const term = { term: { facts: chunkTerm(scope.organization, named) } };
  const filter = [...inScope(scope), { term: { kind: 'chunk' } }, term];
  return findUnits(connection, aliases, { filter, must_not: [isFormer] });
}

async function findUnits(connection: Connection, aliases: Aliases, bool: Body): Promise<readonly Hit<unknown>[]> {
  const body = { query: { bool }, size: WINDOW, track_total_hits: false, ...STORED_UNIT };
  const [answer] = await connection.search([{ index: aliases.of('units'), body }]);
  return answer?.hits.hits ?? [];
}

/** Returns the memories of rows, those of the newest documents first. */
export function passagesFrom(hits: readonly Hit<unknown>[], documents: Documents, wanted: PassageQuery): PassageRow[] {
  const named = new Set('ids' in wanted ? wanted.ids : wanted.texts.map(foldedText));
  return unitsFrom(hits, documents, (unit) => named.has('ids' in wanted ? unit.id : foldedText(unit.text)));
}

/** Returns the chunks of rows, those of the newest documents first, and what remains of chunks as these. */
export function chunksFrom(hits: readonly Hit<unknown>[], documents: Documents, named: ChunkNames): PassageRow[] {
  const isNamed = ({ id, text }: Unit) => ('id' in named ? id === named.id : text === named.text);
  return unitsFrom(hits, documents, isNamed).map(asOfDocument);
}

function unitsFrom(
  hits: readonly Hit<unknown>[],
  documents: Documents,
  isNamed: (unit: Unit) => boolean,
): PassageRow[] {
  const found = hits.flatMap((hit) => {
    const place = parseUnitId(hit._id);
    const document = documents.get(place.document);
    const stored = storedUnit(hit);
    if (document === undefined || stored === null || stored.revision < document.unitsRevision) return [];
    const unit = unitFrom(place, stored.json);
    return isNamed(unit) ? [{ unit, document: document.row }] : [];
  });
  return found.sort((a, b) => b.document.createdAt - a.document.createdAt || a.unit.ordinal - b.unit.ordinal);
}
