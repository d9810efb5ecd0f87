import { Query } from '@nestjs/cqrs';
import type { Page } from '#platform/input';
import type { Principal } from '#platform/kernel';
import type { RequestType, Span } from '#ports/analytics';

export interface FailedType {
  readonly type: RequestType;
  readonly count: number;
  /** In ascending order. */
  readonly statuses: readonly number[];
  /** Milliseconds since the epoch. */
  readonly last: number;
}

export interface RequestErrors {
  readonly requests: number;
  readonly errors: number;
  /** A page of the types that failed, the most frequent first. */
  readonly types: readonly FailedType[];
  readonly totalTypes: number;
  /** Hours with errors, by their beginning: milliseconds since the epoch. */
  readonly hours: readonly { readonly at: number; readonly count: number; readonly types: readonly RequestType[] }[];
  readonly byStatus: Readonly<Record<string, number>>;
}

/** Returns which requests of the organization were answered with 400 or more. */
export class ReadErrors extends Query<RequestErrors> {
  constructor(
    readonly principal: Principal,
    readonly span: Span,
    readonly page: Page,
  ) {
    super();
  }
}
