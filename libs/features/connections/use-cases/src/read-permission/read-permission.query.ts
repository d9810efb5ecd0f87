import { Query } from '@nestjs/cqrs';
import type { Result } from '#platform/kernel';
import type { LinkRefusal } from '../flows.ts';

/** What a person is asked before a connection is stored. */
export interface AskedPermission {
  readonly provider: string;
  /** By which the person knows the account. */
  readonly account: string;
  /** Name of the organization that will read. */
  readonly organization: string;
  /** Tags of the documents. */
  readonly tags: readonly string[];
  /** Whether everything is read that the account sees; otherwise what is chosen afterwards. */
  readonly readsEverything: boolean;
  /** Host to which the browser goes. Null: it stays. */
  readonly returnsTo: string | null;
}

/** Reads what a person is asked. */
export class ReadPermission extends Query<Result<AskedPermission, LinkRefusal>> {
  /** @param request what stands behind the address of the page */
  constructor(readonly request: string) {
    super();
  }
}
