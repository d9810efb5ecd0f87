import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type IssuedKey, type KeyRefusal, KeyRepository } from '#features/access';
import { actorOf, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { ChangeKey } from './change-key.command.ts';

@CommandHandler(ChangeKey)
export class ChangeKeyHandler implements ICommandHandler<ChangeKey> {
  constructor(private readonly keys: KeyRepository) {}

  execute({ principal, id, changes }: ChangeKey): Promise<Result<IssuedKey, KeyRefusal>> {
    return this.keys.change(principal, requestCause(actorOf(principal)), id, changes);
  }
}
