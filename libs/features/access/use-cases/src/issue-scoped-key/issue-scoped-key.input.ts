import { IsContainerTag, IsOneOf, IsTagPermissions, IsText, Required, ShownBy } from '#platform/input';
import type { Principal, TagPermission } from '#platform/kernel';
import { IssueKey } from '../issue-key/issue-key.command.ts';
import { KeyLimitsInput, rateLimitOf } from '../issue-key/issue-key.input.ts';

/** A key that reaches some tags only. */
@ShownBy({
  'A key for one user of an application': { containerTag: 'user_4711', expiresInDays: 30 },
  'A key that writes one tag and reads another one': {
    containerTag: 'user_4711',
    name: 'Helpdesk of user 4711',
    containerTags: [{ containerTag: 'handbook', permission: 'read' }],
  },
})
export class IssueScopedKeyInput extends KeyLimitsInput {
  /** The tag of the key. */
  @Required()
  @IsContainerTag()
  containerTag!: string;

  /** For people, to tell keys apart. Default: `scoped_` and the tag. */
  @IsText({ min: 1, max: 300 })
  name?: string;

  /** What the key may do with `containerTag`. Default: write. */
  @IsOneOf(['read', 'write'])
  permission?: 'read' | 'write';

  /** Further tags of the key, or in place of `permission` what it may do with `containerTag`. */
  @IsTagPermissions()
  containerTags?: TagPermission[];
}

export function issueScopedKey(principal: Principal, body: IssueScopedKeyInput): IssueKey {
  const { containerTag, permission = 'write', name = `scoped_${containerTag}`, expiresInDays = null } = body;
  const byTag = new Map([[containerTag, permission]]);
  for (const one of body.containerTags ?? []) byTag.set(one.containerTag, one.permission);
  const containerTags = [...byTag].map(([tag, one]) => ({ containerTag: tag, permission: one }));
  const limits = { containerTags, rateLimit: rateLimitOf(body) };
  return new IssueKey(principal, { name, role: 'member', limits, expiresInDays });
}
