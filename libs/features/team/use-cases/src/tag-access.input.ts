import { IsOneOf, IsTagPermissions, invalid } from '#platform/input';
import type { TagPermission } from '#platform/kernel';

/** Which tags a person may reach. */
export class TagAccessInput {
  /** `restricted`: only `containerTags`, for the role member. Default: restricted with `containerTags`, else full. */
  @IsOneOf(['full', 'restricted'])
  accessType?: 'full' | 'restricted';

  /** The only tags of the member, each with what may be done with it. */
  @IsTagPermissions()
  containerTags?: TagPermission[];
}

/** Returns the tags of an input; null: all of them; undefined: it does not say. */
export function tagsOf({ accessType, containerTags }: TagAccessInput): readonly TagPermission[] | null | undefined {
  const names = new Map(containerTags?.map(({ containerTag, permission }) => [containerTag, permission]));
  if (accessType === 'full') {
    if (names.size > 0) throw invalid('containerTags', 'containerTags needs accessType restricted');
    return null;
  }
  if (accessType === undefined && containerTags === undefined) return undefined;
  if (names.size === 0) throw invalid('containerTags', 'accessType restricted needs containerTags');
  return [...names].map(([containerTag, permission]) => ({ containerTag, permission }));
}
