import { Command } from '@nestjs/cqrs';
import type { ItemFilters } from '#features/connections';
import type { Metadata, Principal, Result } from '#platform/kernel';

export interface NewConnection {
  readonly provider: string;
  /** Distinct, in order. Empty: the default tag. */
  readonly tags: readonly string[];
  /** With secrets, as the provider needs them. */
  readonly metadata: Metadata | null;
  readonly documentLimit: number | null;
  readonly filters: ItemFilters;
}

/** `forbidden`: the provider reads from the machine of the server, and the key is none of the operator. */
export type CreateRefusal = 'forbidden' | 'too_many_tags' | 'connection_not_found';

/** Connects a source: its items become documents, and stay in step with it. */
export class CreateConnection extends Command<Result<{ readonly id: string }, CreateRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly connection: NewConnection,
  ) {
    super();
  }
}
