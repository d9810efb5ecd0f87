import { Command } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';

export interface DeletedConnection {
  readonly id: string;
  readonly provider: string;
}

/** Ends a connection at once. What it leaves is removed in the background. */
export class DeleteConnection extends Command<Result<DeletedConnection, 'connection_not_found'>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
    readonly deleteDocuments: boolean,
  ) {
    super();
  }
}
