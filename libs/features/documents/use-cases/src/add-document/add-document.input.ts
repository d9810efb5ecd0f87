import {
  IsDateText,
  IsMetadataMatch,
  IsNotBlank,
  IsOneOf,
  IsString,
  IsText,
  invalid,
  namedTags,
  Required,
  ShownBy,
} from '#platform/input';
import type { Principal } from '#platform/kernel';
import type { Attempt } from '../attempt.ts';
import { WrittenInput } from '../written.input.ts';
import { AddDocument, type NewDocument, type UploadedFile } from './add-document.command.ts';

const FILE_TYPES = [
  'text',
  'pdf',
  'tweet',
  'google_doc',
  'google_slide',
  'google_sheet',
  'image',
  'video',
  'notion_doc',
  'webpage',
  'onedrive',
];

/** What an add states about its document, and a batch about all of its documents. */
export class SharedDetails extends WrittenInput {
  /** Reference date of the content. */
  @IsDateText()
  documentDate?: string;

  /** superrag: chunk and index only. */
  @IsOneOf(['memory', 'superrag'])
  taskType: 'memory' | 'superrag' = 'memory';

  /** Virtual path, such as `/a/b.md`. */
  @IsText({ min: 1, max: 4096 })
  filepath?: string;

  /** Selects the existing memories that serve as context. No effect yet. */
  @IsMetadataMatch()
  filterByMetadata?: Readonly<Record<string, unknown>>;

  /** When memories are formed. No effect yet. */
  @IsOneOf(['dynamic', 'instant'])
  dreaming?: string;
}

/** What an add states about its document, for text and files alike. */
class DocumentDetails extends SharedDetails {
  /** Your own identifier: the same customId with the same tags means the same document. */
  @IsText({ min: 1, max: 255, wellFormed: true })
  customId?: string;
}

/** A text to add. */
@ShownBy({
  'A note': {
    content: 'The kick-off of Atlas is on 14 March in Oslo. Mara brings the prototype, Tom books the room.',
    customId: 'kick-off',
    containerTag: 'project-atlas',
    metadata: { kind: 'note', year: 2025, draft: false },
    documentDate: '2025-03-01',
    filepath: '/atlas/kick-off.md',
  },
  'A conversation': {
    content: 'user: Where do we meet?\nassistant: At the old harbour in Oslo, at nine.',
    customId: 'chat-7',
    containerTag: 'project-atlas',
    metadata: { kind: 'chat' },
  },
  'A web address: its page is fetched and read': {
    content: 'https://example.com/atlas',
    customId: 'bookmark',
  },
})
export class AddDocumentInput extends DocumentDetails {
  /** Any text: a transcript, Markdown, HTML, JSON, or one URL. */
  @Required()
  @IsNotBlank()
  content!: string;
}

/** The text parts of an upload. */
@ShownBy({
  'A manual': {
    customId: 'handbook',
    containerTag: 'project-atlas',
    metadata: { kind: 'manual', pages: 12 },
    filepath: '/atlas/handbook.md',
  },
})
export class UploadInput extends DocumentDetails {
  /** What the file is; overrides its bytes and its name. */
  @IsOneOf(FILE_TYPES)
  fileType?: string;

  /** Required if fileType is image or video. */
  @IsText({ min: 1, max: 255 })
  mimeType?: string;

  /** No effect. */
  @IsString()
  useAdvancedProcessing?: string;
}

export function addDocument(
  principal: Principal,
  body: AddDocumentInput,
  { idempotencyKey, isRetry }: Attempt,
): AddDocument {
  const document = newDocument(body, body.content);
  return new AddDocument(principal, document, idempotencyKey, isRetry);
}

export function addFile(
  principal: Principal,
  body: UploadInput,
  file: Omit<UploadedFile, 'fileType' | 'mimeType'>,
  { idempotencyKey, isRetry }: Attempt,
): AddDocument {
  const { fileType = null, mimeType = null } = body;
  if (mimeType === null && (fileType === 'image' || fileType === 'video')) {
    throw invalid('mimeType', `mimeType is required when fileType is ${fileType}`);
  }
  const document = newDocument(body, { ...file, fileType, mimeType });
  return new AddDocument(principal, document, idempotencyKey, isRetry);
}

export function newDocument<Content extends NewDocument['content']>(
  details: DocumentDetails,
  content: Content,
): NewDocument & { readonly content: Content } {
  return {
    content,
    customId: details.customId ?? null,
    tags: namedTags(details),
    metadata: details.metadata ?? null,
    filepath: details.filepath ?? null,
    taskType: details.taskType,
    documentDate: details.documentDate ?? null,
  };
}
