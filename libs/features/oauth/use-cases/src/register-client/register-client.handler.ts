import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AUTHORIZATION_SERVER, type AuthorizationServer } from '#features/oauth';
import { RegisterClient, type RegisteredClient } from './register-client.command.ts';

@CommandHandler(RegisterClient)
export class RegisterClientHandler implements ICommandHandler<RegisterClient> {
  constructor(@Inject(AUTHORIZATION_SERVER) private readonly server: AuthorizationServer) {}

  async execute({ name, redirectUris }: RegisterClient): Promise<RegisteredClient> {
    return { clientId: await this.server.register({ name, redirectUris }), name, redirectUris };
  }
}
