import { Command } from '@nestjs/cqrs';
import type { Access } from '#features/oauth';
import type { Principal, Result } from '#platform/kernel';

/** `authorization_over`: the request is of another session, or is too old, or was not made by this server. */
export type AnswerAuthorizationRefusal = 'authorization_over';

/** What a person permits an application. */
export interface Consent {
  readonly access: Access;
  /** The only tags that it reaches. Null: all that the person reaches. */
  readonly containerTags: readonly string[] | null;
}

/** Takes the answer of a person to an application. Returns the address to which the browser goes back with it. */
export class AnswerAuthorization extends Command<Result<string, AnswerAuthorizationRefusal>> {
  /** @param request as `ReadAuthorization` gave it @param consent null: the person refuses */
  constructor(
    readonly principal: Principal,
    readonly request: string,
    readonly consent: Consent | null,
  ) {
    super();
  }
}
