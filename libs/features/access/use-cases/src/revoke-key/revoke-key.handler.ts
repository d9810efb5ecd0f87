import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type KeyRefusal, KeyRepository } from '#features/access';
import { actorOf, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { RevokeKey } from './revoke-key.command.ts';

@CommandHandler(RevokeKey)
export class RevokeKeyHandler implements ICommandHandler<RevokeKey> {
  constructor(private readonly keys: KeyRepository) {}

  async execute({ principal, id }: RevokeKey): Promise<Result<void, KeyRefusal>> {
    const revoked = await this.keys.revoke(principal, requestCause(actorOf(principal)), id);
    return revoked.ok ? ok(undefined) : revoked;
  }
}
