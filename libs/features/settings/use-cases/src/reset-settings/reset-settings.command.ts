import { Command } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';

/** `not_confirmed`: the confirmation is neither the name nor the slug of the organization. */
export type ResetRefusal = 'not_confirmed' | 'forbidden';

export interface ResetTotals {
  readonly connections: number;
  readonly documents: number;
  readonly memories: number;
  /** Tags of which values were erased. */
  readonly tags: number;
}

/** Ends all connections, erases all documents, all values of tags and all settings of an organization. Its keys stay. */
export class ResetSettings extends Command<Result<ResetTotals, ResetRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly confirmation: string,
  ) {
    super();
  }
}
