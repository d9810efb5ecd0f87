import { type IssuedKey, principalOf } from '#features/access';
import { type AuthorizationServer, type NewTokens, type RefreshContent, scopeOf } from '#features/oauth';
import type { GrantedTokens } from './redeem-code/redeem-code.command.ts';

/** What an application gets of the tokens of its key. @param now milliseconds since the Unix epoch */
export async function granted(
  { seals }: AuthorizationServer,
  key: IssuedKey,
  { access, refresh: secret }: NewTokens,
  now: number,
): Promise<GrantedTokens> {
  const { organization, id, grant } = key;
  if (grant === undefined) throw new Error('the key is that of no application');
  const content: RefreshContent = { organization, id, client: grant.client.id, secret };
  const { writableTags } = principalOf(key);
  return {
    access,
    expiresIn: Math.floor((grant.accessUntil - now) / 1_000),
    refresh: await seals.seal('refresh', content),
    scope: scopeOf(writableTags === 'all' || writableTags.length > 0 ? 'write' : 'read'),
  };
}
