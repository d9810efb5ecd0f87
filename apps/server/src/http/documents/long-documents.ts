import type { LongDocument, LongDocumentChunks } from '#features/documents/use-cases';
import type { Page } from '#platform/input';
import { type JsonPieces, listJson, openObject, textJson } from '../transport/streamed-json.ts';
import { chunk } from './document-parts.responses.ts';
import {
  type DocumentPage,
  documentRecord,
  listedDocument,
  memoryOfDocument,
  pagination,
} from './documents.responses.ts';
import { contentFieldsJson } from './record-content.ts';
import type { StatusWords } from './status-words.ts';

/** Answers about documents that are too long to be held, field by field as `documents.responses.ts` has them. */

export async function* longRecordJson(
  { row, encoding, frontMatter, pieces, contentOmitted, eachMemory }: LongDocument,
  words: StatusWords,
): JsonPieces {
  const { content: _, ...fields } = documentRecord(
    { row, content: null, memories: [], progress: null, retry: null, encoding, frontMatter },
    words,
  );
  yield `${openObject(fields)},"content":`;
  yield* textJson(pieces);
  if (contentOmitted) yield ',"contentOmitted":true';
  yield* listJson(eachMemory, (memory) => memoryOfDocument(row, memory), 'memories');
  yield '}';
}

export async function* longChunksJson({ id, createdAt, eachChunk }: LongDocumentChunks): JsonPieces {
  let total = 0;
  yield `${openObject({ documentId: id })},"chunks":`;
  yield* listJson(eachChunk, (unit) => {
    total += 1;
    return chunk(unit, createdAt);
  });
  yield `,"total":${total}}`;
}

export async function* longListJson(found: DocumentPage, page: Page, words: StatusWords): JsonPieces {
  yield '{"memories":[';
  for (const [i, { row, ...content }] of found.documents.entries()) {
    yield `${i === 0 ? '' : ','}${openObject(listedDocument(row, words))}`;
    yield* contentFieldsJson(content);
    yield '}';
  }
  yield `],"pagination":${JSON.stringify(pagination(page, found.total))}}`;
}
