import { Command } from '@nestjs/cqrs';
import type { Connection } from '#features/connections';
import type { Principal, Result } from '#platform/kernel';

/** A connection reads these resources from now on, and nothing else. */
export class ConfigureConnection extends Command<Result<Connection, 'connection_not_found'>> {
  /** @param resources their ids */
  constructor(
    readonly principal: Principal,
    readonly id: string,
    readonly resources: readonly string[],
  ) {
    super();
  }
}
