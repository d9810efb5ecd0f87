import type { Principal } from '#platform/kernel';
import type { IssuedKey } from './key.ts';

/** Who makes a request with a key, and what it may do. */
export function principalOf({
  organization,
  id,
  role,
  member,
  limits,
  grant,
}: Pick<IssuedKey, 'organization' | 'id' | 'role' | 'member' | 'limits' | 'grant'>): Principal {
  const { containerTags, permission, rateLimit } = limits;
  const common = {
    ...{ organization, keyId: id, role, ...(member && { member }), ...(rateLimit && { rateLimit }) },
    ...(grant && { audience: 'mcp' as const }),
  };
  if (containerTags === undefined) return { ...common, tags: 'all', writableTags: permission === 'read' ? [] : 'all' };
  const writable = containerTags.filter((one) => one.permission === 'write');
  return { ...common, tags: tagsOf(containerTags), writableTags: tagsOf(writable) };
}

const tagsOf = (permissions: readonly { readonly containerTag: string }[]): readonly string[] =>
  permissions.map(({ containerTag }) => containerTag);
