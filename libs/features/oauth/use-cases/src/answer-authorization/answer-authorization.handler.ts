import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { KeyLimits } from '#features/access';
import {
  type Access,
  type AgreedAuthorization,
  AUTHORIZATION_SERVER,
  type AuthorizationServer,
  answerAddress,
  type PendingAuthorization,
} from '#features/oauth';
import { actorOf, CLOCK, type Clock, err, newId, ok, type Principal, type Result } from '#platform/kernel';
import { AnswerAuthorization, type AnswerAuthorizationRefusal, type Consent } from './answer-authorization.command.ts';

/** How long an application may take to exchange its code. Milliseconds. */
const CODE_MS = 60_000;

@CommandHandler(AnswerAuthorization)
export class AnswerAuthorizationHandler implements ICommandHandler<AnswerAuthorization> {
  constructor(
    @Inject(AUTHORIZATION_SERVER) private readonly server: AuthorizationServer,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({
    principal,
    request,
    consent,
  }: AnswerAuthorization): Promise<Result<string, AnswerAuthorizationRefusal>> {
    const pending = (await this.server.seals.open<PendingAuthorization>('authorization', request))?.content;
    const now = this.clock.now();
    // What was shown in another session was not shown to this person.
    if (pending === undefined || pending.session !== principal.session || now >= pending.until) {
      return err('authorization_over');
    }
    const { issuer } = this.server;
    if (consent === null) return ok(answerAddress(pending, issuer, REFUSED));
    const agreed = agreedOf(principal, pending, consent, now + CODE_MS);
    return ok(answerAddress(pending, issuer, { code: await this.server.seals.seal('code', agreed) }));
  }
}

const REFUSED = { error: 'access_denied', error_description: 'The person has refused' };

function agreedOf(
  principal: Principal,
  { client, redirectUri, challenge, access: asked }: PendingAuthorization,
  consent: Consent,
  until: number,
): AgreedAuthorization {
  const { organization, role, member, keyId } = principal;
  const access = asked === 'read' ? 'read' : consent.access;
  // A session of a key ends with the key, and so does what its person agrees to.
  const of = keyId === member ? { member } : { parent: keyId, ...(member !== undefined && { member }) };
  return {
    ...{ organization, id: newId(), client, redirectUri, challenge, role, ...of, access },
    limits: limitsOf(principal, access, consent.containerTags),
    ...{ actor: actorOf(principal), until },
  };
}

function limitsOf({ rateLimit }: Principal, access: Access, tags: Consent['containerTags']): KeyLimits {
  return {
    ...(rateLimit !== undefined && { rateLimit }),
    ...(tags === null && access === 'read' && { permission: 'read' as const }),
    ...(tags !== null && { containerTags: tags.map((containerTag) => ({ containerTag, permission: access })) }),
  };
}
