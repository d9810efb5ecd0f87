export { ANALYSED_LANGUAGES, analysedLanguage } from './analysis/languages.ts';
export { isOtherThanEnglish } from './analysis/other-language.ts';
export { datesIn } from './dates/spans.ts';
export { decodeEntry, encodeEntry, entryBytes, unitsOf, withVectors } from './entries/codec.ts';
export { TermFrequencies } from './entries/frequencies.ts';
export {
  COUNT_BYTES,
  ENTRY,
  ENTRY_HEADER_BYTES,
  ENTRY_VERSION,
  HAS_BARE,
  HAS_NEAR,
  HAS_OTHERS,
  HAS_WIDE,
  QUAD_BYTES,
  SCALE_BYTES,
  UNIT,
  UNIT_HEADER_BYTES,
} from './entries/layout.ts';
export { meanOf, wideAt } from './entries/near.ts';
export { quantize, valuesOf } from './entries/quantize.ts';
export {
  countWords,
  type IndexedUnit,
  indexUnit,
  isAnalysedIn,
  type UnitVectors,
  vectorsIn,
  withVectorsOf,
} from './entries/unit.ts';
export type {
  Condition,
  Filter,
} from './filters/filter.ts';
export { matchesFilter } from './filters/matches.ts';
export { parseFilter } from './filters/parse.ts';
export { type MetadataRow, metadataRows } from './filters/rows.ts';
export {
  asAsked,
  type FormKind,
  formsOf,
  isRewritten,
  type QuestionForms,
} from './question/forms.ts';
export { fitsIntent, type Intent } from './question/intent.ts';
export { readableQuestion } from './question/readable.ts';
export { type SpelledWord, type Spelling, spelledWords, spellingsOf, writtenAs } from './question/spelling.ts';
export { coreOf } from './ranking/core.ts';
export { FEATURES, type FeatureValues } from './ranking/features.ts';
export { NEAR, type RankerInputs } from './ranking/inputs.ts';
export { RANKED, reorder, sharesOf, totalOf } from './ranking/ranker.ts';
export { type OrderedBy, type RerankMethod, reranked } from './ranking/rerank.ts';
export type { FormStatistics } from './scan/bm25.ts';
export type { Evidence } from './scan/evidence.ts';
export { countsByTerm } from './scan/join-terms.ts';
export { type PreparedQuery, prepareQuery } from './scan/query.ts';
export type { RankedUnit } from './scan/rank.ts';
export { ENTRY_CANDIDATE, ENTRY_COUNTED, ENTRY_SKIPPED, Scanner } from './scan/scanner.ts';
export { type HeldTerms, ScopeRanking, type ScopeStatistics, type ScoredUnit } from './scan/scope-ranking.ts';
export { rankShards, type ShardStatistics } from './scan/shard-statistics.ts';
export { type FusionWeights, weightsOf } from './scan/weights.ts';
export { rerankedSimilarity } from './similarity/reranked.ts';
export { capInOrder, similarity } from './similarity/similarity.ts';
export { sharesWindows } from './spaces.ts';
