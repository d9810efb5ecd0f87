import { MAX_DOCUMENT_TAGS } from '#features/documents';
import {
  IsContainerTag,
  IsContainerTags,
  IsDateText,
  IsMetadata,
  IsMetadataMatch,
  IsNotBlank,
  IsOneOf,
  IsText,
  invalid,
  namedTags,
  ShownBy,
} from '#platform/input';
import type { Metadata, Principal } from '#platform/kernel';
import { UpdateDocument } from './update-document.command.ts';

/** What is to change. Fields that are absent or null stay as they are. */
@ShownBy({
  'Other metadata': { metadata: { kind: 'note', year: 2025, final: true }, filepath: '/atlas/kick-off-final.md' },
  'Another text': { content: 'The kick-off of Atlas is on 21 March in Bergen. Mara brings the prototype.' },
})
export class UpdateDocumentInput {
  /** Replaces the whole content, also a file, and is always processed. */
  @IsNotBlank()
  content?: string;

  /** Replaces the stored metadata. Values are strings, numbers or booleans. At most 64 KiB as JSON. */
  @IsMetadata()
  metadata?: Metadata;

  /** The new name; the former one is free for other documents then. No other document with the same tags may have it. */
  @IsText({ min: 1, max: 255, wellFormed: true })
  customId?: string;

  /** With containerTags, the new set of tags. */
  @IsContainerTag()
  containerTag?: string;

  /** One or several tags, joined with containerTag. */
  @IsContainerTags(MAX_DOCUMENT_TAGS)
  containerTags?: string | string[];

  /** Virtual path, such as `/a/b.md`. */
  @IsText({ min: 1, max: 4096 })
  filepath?: string;

  /** Takes effect when content is processed next. */
  @IsOneOf(['memory', 'superrag'])
  taskType?: 'memory' | 'superrag';

  /** Selects the existing memories that serve as context. No effect yet. */
  @IsMetadataMatch()
  filterByMetadata?: Readonly<Record<string, unknown>>;

  /** Reference date of the content. Passages carry the new one when content is processed next. */
  @IsDateText()
  documentDate?: string;
}

/** @throws InputError if the body names nothing to change, or an empty set of tags */
export function updateDocument(
  principal: Principal,
  id: string,
  body: UpdateDocumentInput,
  picked: readonly string[],
): UpdateDocument {
  if (Object.values(body).every((value) => value === undefined)) {
    throw invalid('body', 'The body must name at least one field to change');
  }
  const tags = namedTags(body);
  if (tags.length === 0 && body.containerTags !== undefined) {
    throw invalid('containerTags', 'containerTags must name at least one tag');
  }
  const update = {
    content: body.content ?? null,
    metadata: body.metadata ?? null,
    customId: body.customId ?? null,
    tags: tags.length === 0 ? null : tags,
    filepath: body.filepath ?? null,
    taskType: body.taskType ?? null,
    documentDate: body.documentDate ?? null,
  };
  return new UpdateDocument(principal, id, update, picked);
}
