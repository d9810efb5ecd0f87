import { contentHash } from '#platform/kernel';

/** The name of a tag's values; each generation of them has a stream that begins with it. */
export const containerTagStream = (organization: string, tag: string): string =>
  `containertag-${contentHash(organization, tag)}`;
