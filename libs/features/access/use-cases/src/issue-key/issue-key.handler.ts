import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { generateKey, type KeyRefusal, KeyRepository } from '#features/access';
import { actorOf, CLOCK, type Clock, newId, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { IssueKey, type NewKey } from './issue-key.command.ts';

const DAY_MS = 86_400_000;

@CommandHandler(IssueKey)
export class IssueKeyHandler implements ICommandHandler<IssueKey> {
  constructor(
    private readonly keys: KeyRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, wish }: IssueKey): Promise<Result<NewKey, KeyRefusal>> {
    const { name, role, expiresInDays } = wish;
    const { secret, ...stored } = generateKey(principal.organization);
    const expiresAt = expiresInDays === null ? undefined : this.clock.now() + expiresInDays * DAY_MS;
    const limits = { ...wish.limits, ...(expiresAt !== undefined && { expiresAt }) };
    const issued = await this.keys.issue(principal, requestCause(actorOf(principal)), {
      ...{ id: newId(), name, role, limits },
      ...stored,
    });
    return issued.ok ? ok({ secret, key: issued.value }) : issued;
  }
}
