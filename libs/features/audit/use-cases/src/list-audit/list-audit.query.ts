import { Query } from '@nestjs/cqrs';
import type { Page } from '#platform/input';
import type { Principal } from '#platform/kernel';

/** Times are milliseconds since the Unix epoch; null: not restricted. */
export interface AuditOptions extends Page {
  readonly actor: string | null;
  readonly action: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

export interface AuditedAction {
  /** Id of the event. */
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** `key:<id>`, `member:<id>` or `system`. */
  readonly actor: string;
  readonly action: string;
  /** Id of what was acted on. Null: it is not one thing, or has no id. */
  readonly targetId: string | null;
  readonly containerTags: readonly string[];
  /** How many documents a bulk deletion has erased. Null: it is another action. */
  readonly documents: number | null;
}

export interface AuditPage extends Page {
  readonly entries: readonly AuditedAction[];
  readonly total: number;
}

/** Lists what was done in the organization, the newest first. Shows every acknowledged action. */
export class ListAudit extends Query<AuditPage> {
  constructor(
    readonly principal: Principal,
    readonly options: AuditOptions,
  ) {
    super();
  }
}
