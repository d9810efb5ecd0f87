import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AcceptWithSessionHandler } from './accept-with-session/accept-with-session.handler.ts';
import { EndSessionHandler } from './end-session/end-session.handler.ts';
import { ListMembershipsHandler } from './list-memberships/list-memberships.handler.ts';
import { SignInHandler } from './sign-in/sign-in.handler.ts';
import { StartSessionHandler } from './start-session/start-session.handler.ts';
import { SwitchOrganizationHandler } from './switch-organization/switch-organization.handler.ts';

/** The use cases of sessions. */
@Module({})
export class SessionsModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: SessionsModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [
        SignInHandler,
        AcceptWithSessionHandler,
        StartSessionHandler,
        SwitchOrganizationHandler,
        EndSessionHandler,
        ListMembershipsHandler,
      ],
      exports: [CqrsModule],
    };
  }
}
