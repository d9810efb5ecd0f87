import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { err, ok, type Result } from '#platform/kernel';
import { Choices } from '../choices.ts';
import { CONNECTION_FLOWS, type Flows, type LinkRefusal } from '../flows.ts';
import { PickedConnections } from '../picked-connections.ts';
import { AnswerChoices } from './answer-choices.command.ts';

@CommandHandler(AnswerChoices)
export class AnswerChoicesHandler implements ICommandHandler<AnswerChoices> {
  constructor(
    private readonly picked: PickedConnections,
    private readonly choices: Choices,
    @Inject(CONNECTION_FLOWS) private readonly flows: Flows,
  ) {}

  async execute({ link: text, resources }: AnswerChoices): Promise<Result<string | null, LinkRefusal>> {
    const found = await this.picked.find(text);
    if (!found.ok) return found;
    const { connection, link } = found.value;
    if (!(await this.choices.choose(connection, resources, link.actor)).ok) return err('link_over');
    const { redirectUrl } = link;
    return ok(redirectUrl === null ? null : (this.flows?.connected(redirectUrl, connection.id) ?? null));
  }
}
