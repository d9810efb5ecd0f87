import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ok, type Result } from '#platform/kernel';
import { type Choice, Choices } from '../choices.ts';
import { Connections } from '../connections.ts';
import { ListResources } from './list-resources.query.ts';

@QueryHandler(ListResources)
export class ListResourcesHandler implements IQueryHandler<ListResources> {
  constructor(
    private readonly connections: Connections,
    private readonly choices: Choices,
  ) {}

  async execute({ principal, id, request }: ListResources): Promise<Result<Choice, 'connection_not_found'>> {
    const found = await this.connections.find(principal, id);
    return found.ok ? ok(await this.choices.list(found.value, request)) : found;
  }
}
