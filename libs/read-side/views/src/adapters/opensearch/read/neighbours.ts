import { type HeldTerms, NEAR, type RankerInputs, type ScopeRanking } from '#features/search';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { unitId } from '../units.ts';
import { type Candidate, readCandidates } from './candidates.ts';
import type { Question } from './question.ts';

/** Units around candidates, by their ids. */
export type Neighbours = ReadonlyMap<string, Candidate>;

/**
 * Reads the units around the contenders whose speaker is known, as far as they are not candidates themselves.
 * @returns empty without the core of the question
 */
export async function readNeighbours(
  connection: Connection,
  aliases: Aliases,
  question: Question,
  contenders: readonly Candidate[],
  known: readonly Candidate[],
): Promise<Neighbours> {
  if (question.prepared.core === null) return new Map();
  const neighbours = new Map(known.map((candidate) => [candidate.id, candidate]));
  const missing = new Set(
    contenders
      .filter(({ speaker }) => speaker !== 0)
      .flatMap((contender) => placesAround(contender))
      .filter((id) => !neighbours.has(id)),
  );
  for (const one of await readCandidates(connection, aliases, question, [...missing])) neighbours.set(one.id, one);
  return neighbours;
}

/** What the ranker takes from the scores of a candidate. Null: it has no vector. */
export function inputsOf(
  ranking: ScopeRanking,
  candidate: Candidate,
  document: HeldTerms,
  neighbours: Neighbours,
): RankerInputs | null {
  const { cosineBare, cosineWide, cosineCore } = candidate;
  if (cosineBare === null || cosineWide === null || cosineCore === null) return null;
  const around = placesAround(candidate).map((id) => neighbours.get(id)?.cosineBare ?? null);
  const previous = neighbours.get(unitId(candidate.document, candidate.kind, candidate.ordinal - 1));
  return ranking.inputs(candidate, document, { around, core: cosineCore, previous: previous ?? null });
}

/** Ids of the unit and of those near to it, in order; they may not exist. */
function placesAround({ document, kind, ordinal }: Candidate): string[] {
  const first = Math.max(0, ordinal - NEAR);
  return Array.from({ length: ordinal + NEAR + 1 - first }, (_, i) => unitId(document, kind, first + i));
}
