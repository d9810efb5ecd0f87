import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type KeyRefusal, KeyRepository, newKey } from '#features/access';
import { actorOf, CLOCK, type Clock, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { IssueKey, type NewKey } from './issue-key.command.ts';

@CommandHandler(IssueKey)
export class IssueKeyHandler implements ICommandHandler<IssueKey> {
  constructor(
    private readonly keys: KeyRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, wish }: IssueKey): Promise<Result<NewKey, KeyRefusal>> {
    const { secret, payload } = newKey(principal.organization, wish, this.clock.now());
    const issued = await this.keys.issue(principal, requestCause(actorOf(principal)), payload);
    return issued.ok ? ok({ secret, key: issued.value }) : issued;
  }
}
