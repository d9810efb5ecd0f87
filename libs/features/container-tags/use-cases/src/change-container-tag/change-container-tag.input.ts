import type { ProfileBucket, TagValues, Visibility } from '#features/container-tags';
import { IsOneOf, IsPathList, IsProfileBuckets, IsText, invalid, Nullable, ShownBy } from '#platform/input';
import { ForbiddenError, mayCall, type Principal } from '#platform/kernel';
import { ChangeContainerTag } from './change-container-tag.command.ts';

/** What to set on a container tag. Fields that are not sent stay. */
@ShownBy({
  'A name and what the tag is about': {
    name: 'Atlas',
    entityContext: 'The project Atlas: a map app for hikers, made by a team of four.',
    emoji: '🗺️',
    visibility: 'private',
  },
  'Groups of the profile': {
    profileBuckets: [{ key: 'decisions', description: 'What the team has decided, and when' }],
  },
})
export class ChangeContainerTagInput {
  /** For display only: the tag itself does not change. Null: none. */
  @Nullable()
  @IsText({ min: 1, max: 100 })
  name?: string | null;

  /** What the tag is about. Null: none. */
  @Nullable()
  @IsText({ max: 1500 })
  entityContext?: string | null;

  /** Null: none. */
  @Nullable()
  @IsPathList()
  memoryFilesystemPaths?: string[] | null;

  /** Groups of the profile in addition to those of the organization. They replace the tag's former ones. */
  @IsProfileBuckets()
  profileBuckets?: ProfileBucket[];

  /** Null: none. */
  @Nullable()
  @IsText({ min: 1, max: 10 })
  emoji?: string | null;

  /** For display only. Null: none. */
  @Nullable()
  @IsOneOf(['public', 'private', 'unlisted'])
  visibility?: Visibility | null;
}

export function changeTag(principal: Principal, tag: string, body: ChangeContainerTagInput): ChangeContainerTag {
  const { name, entityContext, memoryFilesystemPaths, emoji, visibility } = body;
  if (body.profileBuckets !== undefined && !mayCall(principal, 'admin')) {
    throw new ForbiddenError('Only an admin may change profileBuckets', 'profileBuckets');
  }
  const profileBuckets = body.profileBuckets?.map(({ key, description }) => ({ key, description }));
  const values = { name, entityContext, memoryFilesystemPaths, emoji, visibility, profileBuckets };
  const sent = Object.entries(values).filter(([, value]) => value !== undefined);
  if (sent.length === 0) throw invalid('body', 'The body must name a field to change');
  return new ChangeContainerTag(principal, tag, Object.fromEntries(sent) as Partial<TagValues>);
}
