import { Command } from '@nestjs/cqrs';
import type { Result } from '#platform/kernel';
import type { LinkRefusal } from '../flows.ts';

/** What the browser brings from a provider. */
export interface Arrival {
  readonly provider: string;
  readonly state: string;
  /** Null: the person, or the provider, has refused. */
  readonly code: string | null;
  /** Null: a code came. */
  readonly error: string | null;
}

/** Takes a person who comes back from a provider. Returns the address to which the browser goes. */
export class ArriveConnection extends Command<Result<string, LinkRefusal>> {
  constructor(readonly arrival: Arrival) {
    super();
  }
}
