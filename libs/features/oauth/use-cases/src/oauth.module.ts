import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AnswerAuthorizationHandler } from './answer-authorization/answer-authorization.handler.ts';
import { ReadAuthorizationHandler } from './read-authorization/read-authorization.handler.ts';
import { RedeemCodeHandler } from './redeem-code/redeem-code.handler.ts';
import { RefreshTokensHandler } from './refresh-tokens/refresh-tokens.handler.ts';
import { RegisterClientHandler } from './register-client/register-client.handler.ts';
import { RevokeTokenHandler } from './revoke-token/revoke-token.handler.ts';

/** The use cases of applications that people connect. They are called only while there is an authorization server. */
@Module({})
export class OAuthModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: OAuthModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [
        ...[ReadAuthorizationHandler, AnswerAuthorizationHandler],
        ...[RedeemCodeHandler, RefreshTokensHandler, RevokeTokenHandler, RegisterClientHandler],
      ],
      exports: [CqrsModule],
    };
  }
}
