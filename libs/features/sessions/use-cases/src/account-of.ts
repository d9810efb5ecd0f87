import type { KnownSessions } from '#features/sessions';
import type { Identity, Team } from '#features/team';
import type { Principal } from '#platform/kernel';

/** Returns the account with which the person of a request has signed in. Null: the session began in another way, or there is none. */
export function accountOf(
  principal: Principal,
  { known, team }: { readonly known: KnownSessions; readonly team: Team },
): Identity | null {
  const state = known.stateOf(principal.session ?? '');
  if (state.status !== 'open' || state.session.way !== 'oidc') return null;
  return team.memberOf(principal)?.identity ?? null;
}
