import { Command } from '@nestjs/cqrs';
import type { OpenedSession } from '#features/sessions';
import type { Result } from '#platform/kernel';
import type { Account } from '#platform/oidc';

export type SignInRefusal =
  /** The account is unknown, and the provider does not vouch for an address by which it could be invited. */
  | 'email_unverified'
  /** No organization has invited the address. */
  | 'not_invited'
  /** The member with the address signs in with another account. */
  | 'other_identity'
  /** Each organization of the person is suspended. */
  | 'organization_suspended';

/** Signs in the person with an account of the provider, who becomes a member wherever the address is invited. */
export class SignIn extends Command<Result<OpenedSession, SignInRefusal>> {
  constructor(readonly account: Account) {
    super();
  }
}
