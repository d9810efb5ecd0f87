import type { HeldTerms } from '#features/search';
import type { Aliases } from '../aliases.ts';
import type { Connection, Hit } from '../connection.ts';
import { placeOf } from '../document-words.ts';
import { INFO_ONLY, infoOf, type UnitInfo } from '../unit-hits.ts';
import { parseUnitId, unitId } from '../units.ts';
import { heldBy, heldCounts, holdsWords } from './held-words.ts';
import { countsOf, type Question, readBeside } from './question.ts';

/** Words of documents. */
export interface DocumentWords {
  /** By the documents' keys. */
  readonly documents: ReadonlyMap<string, HeldTerms>;
  /** Number of rows that hold words of these documents, each document's first such row apart. */
  readonly further: number;
}

/**
 * Returns the words of documents. Those that are spread over several rows need one more round trip.
 * @param firsts rows of their first units, each with its counts of the document's terms
 */
export async function readDocumentWords(
  connection: Connection,
  aliases: Aliases,
  question: Question,
  firsts: readonly Hit<unknown>[],
): Promise<DocumentWords> {
  const documents = new Map<string, HeldTerms>();
  const missing = new Set<string>();
  for (const hit of firsts) {
    const info = infoOf(hit);
    documents.set(parseUnitId(info.id).document, heldBy(question, 'whole', hit));
    for (const id of furtherRows(question, info)) missing.add(id);
  }
  let further = 0;
  for (const hit of await readRows(connection, aliases, question, [...missing])) {
    const { document } = parseUnitId(infoOf(hit).id);
    const before = documents.get(document) as HeldTerms;
    const held = heldCounts(question, 'whole', hit);
    if (holdsWords(before) && held.some((count) => count > 0)) further += 1;
    const counts = held.map((count, term) => count + (before.counts[term] as number));
    documents.set(document, { ...before, counts });
  }
  return { documents, further };
}

/**
 * Returns the first rows of documents, by others of their rows, with their counts of the document's terms.
 * @param known first rows that were read; they are left out
 */
export async function readFirstRows(
  connection: Connection,
  aliases: Aliases,
  question: Question,
  others: readonly Hit<unknown>[],
  known: readonly Hit<unknown>[],
): Promise<readonly Hit<unknown>[]> {
  const ids = new Set(others.map((hit) => firstOf(infoOf(hit))));
  for (const hit of known) ids.delete(infoOf(hit).id);
  return readRows(connection, aliases, question, [...ids]);
}

function firstOf({ id }: UnitInfo): string {
  const { document, kind } = parseUnitId(id);
  return unitId(document, kind, 0);
}

/** Ids of the rows beside the first one that may hold words of the question. */
function furtherRows({ prepared }: Question, { id, wholeRows }: UnitInfo): string[] {
  if (wholeRows === 1) return [];
  const { document, kind } = parseUnitId(id);
  const places = new Set(prepared.hashes.map((hash) => placeOf(hash, wholeRows)));
  places.delete(0);
  return [...places].map((place) => unitId(document, kind, place));
}

async function readRows(
  connection: Connection,
  aliases: Aliases,
  question: Question,
  ids: readonly string[],
): Promise<readonly Hit<unknown>[]> {
  if (ids.length === 0) return [];
  const body = {
    ...INFO_ONLY,
    size: ids.length,
    track_total_hits: false,
    query: { bool: { filter: [{ ids: { values: ids } }] } },
    post_filter: readBeside(countsOf(question, 'whole')),
  };
  const [answer] = await connection.scored([{ index: aliases.of('units'), body }]);
  // A deleted row has no info.
  return (answer?.hits.hits ?? []).filter(({ fields }) => fields?.info !== undefined);
}
