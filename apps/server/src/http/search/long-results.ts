import type { DocumentResult } from '#search/use-cases';
import { contentFieldsJson } from '../documents/record-content.ts';
import { type JsonPieces, openObject } from '../transport/streamed-json.ts';
import { type DocumentSearchParts, documentHit } from './search.responses.ts';

/** Writes what `documentResults` returns, for results with content that is read while the answer is sent. */
export async function* longResultsJson(
  found: readonly DocumentResult[],
  timing: number,
  parts: DocumentSearchParts,
): JsonPieces {
  yield '{"results":[';
  for (const [i, result] of found.entries()) {
    yield `${i === 0 ? '' : ','}${openObject(documentHit(result, parts))}`;
    yield* contentFieldsJson(result);
    yield '}';
  }
  yield `],"timing":${timing},"total":${found.length}}`;
}
