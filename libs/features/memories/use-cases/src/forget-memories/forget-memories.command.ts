import { Command } from '@nestjs/cqrs';
import type { VersionView } from '#features/memories';
import type { Principal, Result } from '#platform/kernel';

/** Memories that are forgotten together, by their latest versions. */
export interface ForgottenBatch {
  /** Correlation id of the events. Null: with `isDry`, nothing is recorded. */
  readonly id: string | null;
  readonly memories: readonly VersionView[];
}

/** Forgets several memories. Ids that no memory of the tag has, and memories that are forgotten already, are skipped. */
export class ForgetMemories extends Command<Result<ForgottenBatch, 'forbidden'>> {
  readonly principal: Principal;
  readonly tag: string;
  /** Of any versions. */
  readonly ids: readonly string[];
  readonly reason: string | null;
  /** Only finds out which memories these are. */
  readonly isDry: boolean;

  constructor(
    principal: Principal,
    tag: string,
    ids: readonly string[],
    options: Pick<ForgetMemories, 'reason' | 'isDry'>,
  ) {
    super();
    this.principal = principal;
    this.tag = tag;
    this.ids = ids;
    this.reason = options.reason;
    this.isDry = options.isDry;
  }
}
