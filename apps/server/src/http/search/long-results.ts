import type { DocumentResult, TimedResults } from '#features/search/use-cases';
import { contentFieldsJson } from '../documents/record-content.ts';
import { type JsonPieces, openObject } from '../transport/streamed-json.ts';
import { type DocumentSearchParts, documentHit, rewritingField } from './search.responses.ts';

/** Writes what `documentResults` returns, for results with content that is read while the answer is sent. */
export async function* longResultsJson(
  { results, rewriting, timing }: TimedResults<DocumentResult>,
  parts: DocumentSearchParts,
): JsonPieces {
  yield '{"results":[';
  for (const [i, result] of results.entries()) {
    yield `${i === 0 ? '' : ','}${openObject(documentHit(result, parts))}`;
    yield* contentFieldsJson(result);
    yield '}';
  }
  const rest = { timing, total: results.length, ...rewritingField(rewriting, parts.explain) };
  yield `],${JSON.stringify(rest).slice(1)}`;
}
