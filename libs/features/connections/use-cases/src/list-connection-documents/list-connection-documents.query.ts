import { Query } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';
import type { DocumentRow } from '#read-side/views';
import type { ConnectionChoice } from '../connections.ts';

/** Lists the documents of connections, at most 1,000, those that were synced last first. */
export class ListConnectionDocuments extends Query<Result<readonly DocumentRow[], 'connection_not_found'>> {
  constructor(
    readonly principal: Principal,
    readonly choice: ConnectionChoice,
  ) {
    super();
  }
}
