import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ok, type Result } from '#platform/kernel';
import { type Choice, Choices } from '../choices.ts';
import type { LinkRefusal } from '../flows.ts';
import { PickedConnections } from '../picked-connections.ts';
import { ListChoices } from './list-choices.query.ts';

@QueryHandler(ListChoices)
export class ListChoicesHandler implements IQueryHandler<ListChoices> {
  constructor(
    private readonly picked: PickedConnections,
    private readonly choices: Choices,
  ) {}

  async execute({ link, request }: ListChoices): Promise<Result<Choice, LinkRefusal>> {
    const found = await this.picked.find(link);
    return found.ok ? ok(await this.choices.list(found.value.connection, request)) : found;
  }
}
