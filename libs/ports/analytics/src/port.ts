import type { ChatTokens, Period } from './period.ts';
import type { AnsweredRequest, LoggedRequest, RequestType } from './request.ts';

/** A span of whole hours: from its beginning to before its end. Milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Which single requests. What is absent does not restrict them. */
export interface RequestFilter extends Span {
  readonly type?: RequestType;
  readonly status?: number;
  readonly keyId?: string;
}

/** What this process records and all processes have recorded. Figures appear within two seconds. */
export interface Analytics {
  /** Notes a request that was answered just now. Returns at once and never fails. */
  record(request: AnsweredRequest): void;
  /** Notes the tokens of a call of a language model. Returns at once and never fails. */
  recordTokens(organization: string, tokens: Readonly<ChatTokens>): void;
  /** Returns the figures of a span: of whole days where it holds them, and of hours at its ends. */
  periods(organization: string, span: Span): Promise<readonly Period[]>;
  /** Returns single requests with their exact total, the newest first. */
  requests(
    organization: string,
    filter: RequestFilter,
    page: RequestPage,
  ): Promise<{ readonly requests: readonly LoggedRequest[]; readonly total: number }>;
  /**
   * Erases all figures of an organization, what this process has not stored yet included. Other processes may still store what
   * they have recorded in the last second, so call it again two seconds after they have begun to refuse its keys.
   */
  forget(organization: string): Promise<void>;
  /** Stores what is recorded. */
  close(): Promise<void>;
}

export interface RequestPage {
  readonly offset: number;
  readonly limit: number;
}

/** Which periods of one length. */
export interface PeriodQuery extends Span {
  readonly grain: Period['grain'];
}

/** What is older, or beyond a number, is removed. */
export interface Retention {
  /** Periods and requests that end before this are removed. Milliseconds since the epoch. */
  readonly since: number;
  /** Single requests that are kept at the most; the oldest go first. */
  readonly requests: number;
}

/** Where figures are stored. */
export interface AnalyticsStore {
  /** Bytes that one single request takes, about. */
  readonly requestBytes: number;
  /** Adds requests, and stores periods in the place of those with the same ids. Reads its arguments before it returns. */
  write(requests: readonly LoggedRequest[], periods: readonly Period[]): Promise<void>;
  periods(organization: string, queries: readonly PeriodQuery[]): Promise<readonly Period[]>;
  requests: Analytics['requests'];
  retain(retention: Retention): Promise<void>;
  forget(organization: string): Promise<void>;
  close(): Promise<void>;
}

/** Injection token. */
export const ANALYTICS = Symbol('Analytics');
