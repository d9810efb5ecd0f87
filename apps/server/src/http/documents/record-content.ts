import type { RecordContent } from '#features/documents';
import { type JsonPieces, textJson } from '../transport/streamed-json.ts';

/** The content of a record, in the fields of the answer. */
interface ContentFields {
  readonly content: string | null;
  readonly contentOmitted?: true;
}

/** Whether content of an answer is still to be read. */
export const isReadLater = (records: readonly RecordContent[]): boolean =>
  records.some(({ content }) => typeof content === 'function');

/** @param record with content that was read before, as are all records for which `isReadLater` is false */
export const contentFields = ({ content, contentOmitted }: RecordContent): ContentFields => ({
  content: typeof content === 'function' ? null : content,
  ...(contentOmitted && { contentOmitted }),
});

/** Writes the same fields behind those of an open object, and reads the content for it if necessary. */
export async function* contentFieldsJson({ content, contentOmitted }: RecordContent): JsonPieces {
  yield ',"content":';
  if (typeof content === 'function') yield* textJson(await content());
  else yield JSON.stringify(content);
  if (contentOmitted) yield ',"contentOmitted":true';
}
