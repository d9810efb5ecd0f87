import { type RankedUnit, rankShards, type ShardStatistics } from '#features/search';
import { vectorOfQuery } from '../../../one-space.ts';
import { toColumn } from '../../../text.ts';
import type { Aliases } from '../aliases.ts';
import type { Body, Connection } from '../connection.ts';
import { vectorFields } from '../mappings.ts';
import type { LeftUnits } from './left-units.ts';
import type { Question } from './question.ts';
import { SCAN_SCRIPTS, type ScanParameters, type ShardScan } from './scan-script.ts';

/** A unit found by a scan, with its document's key. */
export interface ScannedUnit extends RankedUnit {
  readonly document: string;
}

/**
 * Scans every unit in scope inside OpenSearch in one round trip, and ranks them as the embedded engine ranks its own
 * scan. Takes time in proportion to the scope.
 * @param most units that are scanned
 * @returns the best `limit` of them; null if the scope holds more than `most`
 */
export async function scanScope(
  connection: Connection,
  aliases: Aliases,
  question: Question,
  { most, limit, left }: { readonly most: number; readonly limit: number; readonly left: Promise<LeftUnits> },
): Promise<readonly ScannedUnit[] | null> {
  const [answer] = await connection.search([{ index: aliases.of('units'), body: scanBody(question, most) }]);
  const { candidates, others } = (answer?.aggregations ?? {}) as Readonly<Record<string, Scan>>;
  const shards = [...shardsOf(candidates, true), ...shardsOf(others, false)];
  if (shards.reduce((sum, { units }) => sum + units, 0) > most) return null;
  const keys = shards.flatMap(({ found }) => found.split(' ').slice(1));
  const leftOut = await left;
  const options = {
    ...{ limit, weights: question.weights },
    ...(leftOut.size > 0 && { leftOut: (slot: number) => leftOut.get(keys[slot] as string) }),
  };
  return rankShards(question.prepared, shards.map(statisticsOf), options).map((unit) => ({
    ...unit,
    document: keys[unit.slot] as string,
  }));
}

interface Scan {
  readonly scan?: { readonly value: readonly ShardScan[] | null };
}

interface CandidateShard extends ShardScan {
  readonly candidates: boolean;
}

const shardsOf = (aggregation: Scan | undefined, candidates: boolean): CandidateShard[] =>
  (aggregation?.scan?.value ?? []).map((shard) => ({ ...shard, candidates }));

const statisticsOf = ({ documents, numbers, candidates }: CandidateShard): ShardStatistics => ({
  ...{ documents, candidates },
  numbers: JSON.parse(`[${numbers.slice(1)}]`),
});

function scanBody(question: Question, most: number): Body {
  const { scope, restrictions } = question;
  const scripted: Body = { scripted_metric: { ...SCAN_SCRIPTS, params: { ...parametersOf(question, most) } } };
  const filter = [...restrictions];
  const scan = { scan: scripted };
  return {
    size: 0,
    track_total_hits: false,
    // Every document has at least one unit.
    terminate_after: most + 1,
    // The entry of a document is stored with its first unit.
    query: { bool: { filter: [...scope, { exists: { field: 'wholeLength' } }] } },
    aggs: {
      candidates: { filter: { bool: { filter } }, aggs: scan },
      ...(filter.length > 0 && { others: { filter: { bool: { must_not: [{ bool: { filter } }] } }, aggs: scan } }),
    },
  };
}

function parametersOf({ query, prepared }: Question, most: number): ScanParameters {
  const vector = vectorOfQuery(query);
  return {
    // Java has only signed integers.
    terms: prepared.hashes.map((hash) => hash | 0),
    vector: [...(prepared.vector ?? [])],
    scale: prepared.scale,
    core: [...(prepared.core?.vector ?? [])],
    coreScale: prepared.core?.scale ?? 0,
    space: vector === null ? '' : toColumn(vector.space),
    second: vector === null ? '' : vectorFields(vector.space).entry,
    most,
  };
}
