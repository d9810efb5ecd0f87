import { MAX_DOCUMENT_TAGS } from '#features/documents';
import { IsContainerTag, IsContainerTags, IsMetadata, IsText } from '#platform/input';
import type { Metadata } from '#platform/kernel';

/** What every request that writes a document can state about it. */
export class WrittenInput {
  /** The group of the document. Without any tag, a new document is in `sm_project_default`, and an existing one stays where it is. */
  @IsContainerTag()
  containerTag?: string;

  /** One or several groups, joined with containerTag. */
  @IsContainerTags(MAX_DOCUMENT_TAGS)
  containerTags?: string | string[];

  /** Flat key/value pairs for filters. Values are strings, numbers or booleans. At most 64 KiB as JSON. */
  @IsMetadata()
  metadata?: Metadata;

  /** Is set on those of the named tags that have none, or of the tags of a new document. No effect on the extraction yet. */
  @IsText({ max: 1500 })
  entityContext?: string;
}
