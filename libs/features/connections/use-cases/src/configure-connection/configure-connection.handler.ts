import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Connection } from '#features/connections';
import { actorOf, type Result } from '#platform/kernel';
import { Choices } from '../choices.ts';
import { Connections } from '../connections.ts';
import { ConfigureConnection } from './configure-connection.command.ts';

@CommandHandler(ConfigureConnection)
export class ConfigureConnectionHandler implements ICommandHandler<ConfigureConnection> {
  constructor(
    private readonly connections: Connections,
    private readonly choices: Choices,
  ) {}

  async execute({
    principal,
    id,
    resources,
  }: ConfigureConnection): Promise<Result<Connection, 'connection_not_found'>> {
    const found = await this.connections.find(principal, id);
    return found.ok ? this.choices.choose(found.value, resources, actorOf(principal)) : found;
  }
}
