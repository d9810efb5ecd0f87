import { Command } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';
import type { ConnectionChoice } from '../connections.ts';

/**
 * Has connections synced now, the whole of their sources. `no_connection`: none is meant. Returns how many;
 * those of which nothing is chosen yet are passed over.
 */
export class RequestSyncs extends Command<Result<number, 'no_connection'>> {
  constructor(
    readonly principal: Principal,
    readonly choice: ConnectionChoice & { readonly provider: string },
  ) {
    super();
  }
}
