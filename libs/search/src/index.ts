export { analyse, type QueryTerm, queryTerms } from './analysis/analyse.ts';
export { termHash } from './analysis/hash.ts';
export { DamagedEntryError, decodeEntry, encodeEntry, entryBytes, unitsOf, withVectors } from './entries/codec.ts';
export {
  ENTRY,
  ENTRY_HEADER_BYTES,
  ENTRY_VERSION,
  HAS_BARE,
  HAS_WIDE,
  QUAD_BYTES,
  UNIT,
  UNIT_HEADER_BYTES,
} from './entries/layout.ts';
export { dequantize, quantize, valuesOf } from './entries/quantize.ts';
export {
  countWords,
  type IndexEntry,
  type IndexedUnit,
  indexUnit,
  type UnitVectors,
  type WordCounts,
} from './entries/unit.ts';
export type {
  Condition,
  Filter,
  FilterableMetadata,
  FilterGroup,
  NumericCondition,
  TextCondition,
} from './filters/filter.ts';
export { foldCase } from './filters/fold-case.ts';
export { matchesFilter } from './filters/matches.ts';
export { type FilterError, parseFilter } from './filters/parse.ts';
export { type MetadataRow, metadataRows } from './filters/rows.ts';
export type { FormStatistics } from './scan/bm25.ts';
export type { Evidence } from './scan/evidence.ts';
export { type PreparedQuery, prepareQuery } from './scan/query.ts';
export type { RankedUnit, RankOptions } from './scan/rank.ts';
export { ENTRY_CANDIDATE, ENTRY_COUNTED, ENTRY_SKIPPED, Scanner } from './scan/scanner.ts';
export { type HeldTerms, ScopeRanking, type ScopeStatistics, type ScoredUnit } from './scan/scope-ranking.ts';
export { rankShards, type ShardStatistics } from './scan/shard-statistics.ts';
export { type FusionWeights, MEASURED_WEIGHTS } from './scan/weights.ts';
export { capInOrder, similarity } from './similarity/similarity.ts';
