import { IsContainerTag, IsContainerTags, invalid, namedTags, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { MergeContainerTags } from './merge-container-tags.command.ts';

const MAX_TAGS = 50;

/** Which tags become one. */
@ShownBy({
  'Drafts become part of a project': { containerTags: ['drafts'], targetContainerTag: 'project-atlas' },
})
export class MergeContainerTagsInput {
  /** 1 to 50 tags that are merged; the target may be among them. */
  @Required()
  @IsContainerTags()
  containerTags!: string | string[];

  /** The tag that all documents of the others carry afterwards. */
  @Required()
  @IsContainerTag()
  targetContainerTag!: string;
}

export function mergeTags(
  principal: Principal,
  { containerTags, targetContainerTag }: MergeContainerTagsInput,
): MergeContainerTags {
  const tags = namedTags({ containerTags });
  if (tags.length === 0 || tags.length > MAX_TAGS) {
    throw invalid('containerTags', `containerTags must have 1 to ${MAX_TAGS} entries`);
  }
  return new MergeContainerTags(principal, tags, targetContainerTag);
}
