import { base62, contentHash } from '#platform/kernel';

/** Prefix of the tags that are projects. */
export const PROJECT_PREFIX = 'sm_project_';

export const isProject = (tag: string): boolean => tag.startsWith(PROJECT_PREFIX);

/** Returns the id of a tag: 22 characters, always the same for the same tag of an organization. */
export const tagId = (organization: string, tag: string): string =>
  base62(Buffer.from(contentHash('tag', organization, tag).slice(0, 32), 'hex'));
