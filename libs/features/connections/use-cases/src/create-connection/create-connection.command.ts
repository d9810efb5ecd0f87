import { Command } from '@nestjs/cqrs';
import type { ItemFilters } from '#features/connections';
import type { Metadata, Principal, Result } from '#platform/kernel';
import type { Departure } from '../departures.ts';

export interface NewConnection {
  readonly provider: string;
  /** Distinct, in order. Empty: the default tag. */
  readonly tags: readonly string[];
  /** With secrets, as the provider needs them. */
  readonly metadata: Metadata | null;
  readonly documentLimit: number | null;
  readonly filters: ItemFilters;
  /** Where a person goes who permits it at the provider. Null: stays on a page of this server. */
  readonly redirectUrl: string | null;
}

export interface CreatedConnection {
  readonly id: string;
  /** Of a provider that a person has to permit it at: nothing is connected before. Null: it is connected. */
  readonly departure: Departure | null;
}

/** `forbidden`: the provider reads from the machine of the server, and the key is none of the operator. */
export type CreateRefusal = 'forbidden' | 'too_many_tags' | 'connection_not_found';

/** Connects a source: its items become documents, and stay in step with it. */
export class CreateConnection extends Command<Result<CreatedConnection, CreateRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly connection: NewConnection,
  ) {
    super();
  }
}
