import { AddDocument, type NewDocument, type UploadedFile } from '#documents/use-cases';
import type { Caller, Metadata } from '#kernel';
import { invalid } from '../errors/api-error.ts';
import { Choice, Content, Text } from '../validation/fields.ts';
import { DateField, FilterByMetadata, MetadataField, namedTags, Tag, Tags } from '../validation/values.ts';

const DEFAULT_TAG = 'sm_project_default';

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

/** What an add may say about its document, whichever way the content comes. */
class DocumentDetails {
  @Text('Your own identifier: the same customId means the same document.', { min: 1, max: 255, identity: true })
  customId?: string;

  @Tag(`The group that the document belongs to; ${DEFAULT_TAG} when no tag is named.`)
  containerTag?: string;

  @Tags('Several groups, or one; joined with containerTag.')
  containerTags?: string | string[];

  @MetadataField()
  metadata?: Metadata;

  @Text('Guides the extraction. Changes nothing yet.', { max: 1500 })
  entityContext?: string;

  @Choice(['memory', 'superrag'], 'superrag: chunk and index only. Default memory.')
  taskType: 'memory' | 'superrag' = 'memory';

  @Text('Virtual path, e.g. `/a/b.md`.', { min: 1, max: 4096 })
  filepath?: string;

  @FilterByMetadata()
  filterByMetadata?: Readonly<Record<string, unknown>>;

  @Choice(['dynamic', 'instant'], 'When memories are formed. Changes nothing yet.')
  dreaming?: string;
}

export class AddDocumentBody extends DocumentDetails {
  @Content('Any text: a transcript, Markdown, HTML, JSON, or one URL.')
  content!: string;

  @DateField('Reference date of the content.')
  documentDate?: string;
}

/** The text parts of an upload. */
export class UploadBody extends DocumentDetails {
  @Choice(FILE_TYPES, 'What the file is, overriding what its bytes say.')
  fileType?: string;

  @Text('Needed when fileType is image or video.', { min: 1, max: 255 })
  mimeType?: string;

  @DateField('Reference date of the content.')
  documentDate?: string;

  @Text('Accepted, ignored.')
  useAdvancedProcessing?: string;
}

export function addDocument(caller: Caller, body: AddDocumentBody, idempotencyKey: string | null): AddDocument {
  return new AddDocument(caller, newDocument(body, body.content, body.documentDate), idempotencyKey);
}

export function addFile(
  caller: Caller,
  body: UploadBody,
  file: Omit<UploadedFile, 'fileType' | 'mimeType'>,
  idempotencyKey: string | null,
): AddDocument {
  const { fileType = null, mimeType = null } = body;
  if (mimeType === null && (fileType === 'image' || fileType === 'video')) {
    throw invalid('mimeType', `mimeType is required when fileType is ${fileType}`);
  }
  return new AddDocument(caller, newDocument(body, { ...file, fileType, mimeType }, body.documentDate), idempotencyKey);
}

function newDocument(
  details: DocumentDetails,
  content: NewDocument['content'],
  documentDate: string | undefined,
): NewDocument {
  const tags = namedTags(details.containerTag, details.containerTags);
  return {
    content,
    customId: details.customId ?? null,
    tags: tags.length === 0 ? [DEFAULT_TAG] : tags,
    metadata: details.metadata ?? null,
    filepath: details.filepath ?? null,
    taskType: details.taskType,
    documentDate: documentDate ?? null,
  };
}
