import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { Organizations } from '#features/access';
import {
  AUTHORIZATION_SERVER,
  type AuthorizationServer,
  checkWish,
  isProgram,
  type PendingAuthorization,
  placeOf,
} from '#features/oauth';
import { invalid } from '#platform/input';
import { CLOCK, type Clock, err, ok, type Result } from '#platform/kernel';
import {
  type AskedAuthorization,
  ReadAuthorization,
  type ReadAuthorizationRefusal,
} from './read-authorization.query.ts';

/** How long a person may think. Milliseconds. */
const PENDING_MS = 10 * 60_000;

@QueryHandler(ReadAuthorization)
export class ReadAuthorizationHandler implements IQueryHandler<ReadAuthorization> {
  constructor(
    @Inject(AUTHORIZATION_SERVER) private readonly server: AuthorizationServer,
    private readonly organizations: Organizations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws InputError for a client that is not known, or whose metadata cannot be used */
  async execute({ principal, wish }: ReadAuthorization): Promise<Result<AskedAuthorization, ReadAuthorizationRefusal>> {
    const { session } = principal;
    if (session === undefined) return err('session_required');
    const client = await this.server.client(wish.clientId);
    if (!client.ok) throw invalid('client_id', `The application cannot be connected by its client_id: ${client.error}`);
    const { id, name, address } = client.value;
    const checked = checkWish(wish, client.value, this.server.resource);
    if (!checked.ok) return checked;
    const { access } = checked.value;
    const { redirectUri, challenge, state } = wish;
    const until = this.clock.now() + PENDING_MS;
    const pending: PendingAuthorization = {
      client: { id, name },
      redirectUri,
      challenge,
      state,
      access,
      session,
      until,
    };
    return ok({
      ...{ client: { name, address }, returnsTo: placeOf(redirectUri), isProgram: isProgram(redirectUri), access },
      organization: await this.organizations.nameOf(principal.organization),
      request: await this.server.seals.seal('authorization', pending),
    });
  }
}
