import type { AnalyticsTotals, RequestErrors, RequestList, Summary, Usage } from '#features/analytics/use-cases';
import type { Page } from '#platform/input';
import { isoTime } from '#platform/kernel';
import type { RequestType } from '#ports/analytics';
import { type Pagination, pagination } from '../documents/documents.responses.ts';
import type { Count, Score, Timestamp } from '../openapi/scalars.ts';

/** Answers about requests. The classes are types only; none is instantiated. */

/** Requests that are counted together. */
export class RequestFigures {
  /** Number of requests. */
  readonly count!: Count;
  /** Milliseconds. */
  readonly avgDuration!: number;
  /** Half of the requests took at most this long, ±5 %. Milliseconds. */
  readonly p50Duration!: number;
  /** 95 % of the requests took at most this long, ±5 %. Milliseconds. */
  readonly p95Duration!: number;
}

/** The requests of a type. */
export class TypeUsage extends RequestFigures {
  /** What the requests were for. */
  readonly type!: RequestType;
  /** When the last one was answered. */
  readonly lastUsed!: Timestamp;
}

/** The requests of an hour. */
export class HourUsage extends RequestFigures {
  /** Beginning of the hour. */
  readonly hour!: Timestamp;
}

/** The requests with a key. */
export class KeyUsage extends RequestFigures {
  /** Id of the key. */
  readonly keyId!: string;
  /** Name of the key. Null: it is revoked. */
  readonly keyName!: string | null;
  /** When the last one was answered. */
  readonly lastUsed!: Timestamp;
}

/** The tokens of calls of language models. */
export class ProxyUsage {
  /** Went on to the providers. */
  readonly tokensProcessed!: Count;
  /** Of turns that were left out. */
  readonly tokensSaved!: Count;
  /** Were in the caches of providers, as they say; a part of those that went on. */
  readonly tokensCached!: Count;
}

/** What was requested. */
export class UsageAnswer {
  /** By type, the most frequent first. */
  readonly usage!: readonly TypeUsage[];
  /** Hours with requests, the oldest first. */
  readonly hourly!: readonly HourUsage[];
  /** A page of the keys, the most used first. */
  readonly byKey!: readonly KeyUsage[];
  /** Memories of the organization, now. */
  readonly totalMemories!: Count;
  readonly proxy!: ProxyUsage;
  readonly pagination!: Pagination;
}

/** The failed requests of a type. */
export class FailedRequests {
  /** What the requests were for. */
  readonly type!: RequestType;
  /** Number of failed requests. */
  readonly count!: Count;
  /** The statuses with which they were answered. */
  readonly statusCodes!: readonly Count[];
  /** When the last one was answered. */
  readonly lastOccurred!: Timestamp;
}

/** The failed requests of an hour. */
export class FailedHour {
  /** Beginning of the hour. */
  readonly time!: Timestamp;
  /** Number of failed requests. */
  readonly count!: Count;
  /** What they were for. */
  readonly types!: readonly RequestType[];
}

/** Which requests failed. */
export class ErrorsAnswer {
  /** Requests that were answered with 400 or more. */
  readonly totalErrors!: Count;
  /** Their share of all requests. */
  readonly errorRate!: Score;
  /** A page of the types with errors, the most frequent first. */
  readonly topErrors!: readonly FailedRequests[];
  /** Hours with errors, the oldest first. */
  readonly timeline!: readonly FailedHour[];
  /** Number of failed requests by status. */
  readonly byStatusCode!: Readonly<Record<string, number>>;
  readonly pagination!: Pagination;
}

/** What is known of what a request sent. */
export class RequestInput {
  /** Method of the request. */
  readonly method!: string;
  /** Pattern of the path, e.g. `/v3/documents/:id`. */
  readonly route!: string;
  /** Size of the body in bytes. Null: it has no body, or its length was not declared. */
  readonly bytes!: Count | null;
}

/** What is known of what a request was answered with. */
export class RequestOutput {
  /** Size of the body in bytes. Null: it has no body, or its length was not declared. */
  readonly bytes!: Count | null;
  /** `code` of the error. Null: it succeeded. */
  readonly code!: string | null;
}

/** A single request, without anything that its caller wrote. */
export class LoggedRequestRecord {
  /** Id of the entry. */
  readonly id!: string;
  /** When it was answered. */
  readonly createdAt!: Timestamp;
  /** What it was for. */
  readonly type!: RequestType;
  /** Status of the answer. */
  readonly statusCode!: Count;
  /** Milliseconds. */
  readonly duration!: number;
  /** Id of the key. */
  readonly keyId!: string;
  readonly input!: RequestInput;
  readonly output!: RequestOutput;
}

/** A page of single requests. */
export class RequestLog {
  /** The newest first. */
  readonly logs!: readonly LoggedRequestRecord[];
  readonly pagination!: Pagination;
}

/** Totals of the organization, and their growth in percent. */
export class AnalyticsTotalsAnswer {
  /** Memories of the organization, now. */
  readonly totalMemories!: Count;
  /** Connections to sources, now. */
  readonly totalConnections!: Count;
  /** Searches, and profiles that were read. */
  readonly searchQueries!: Count;
  /** Tokens that went on to language models. */
  readonly tokensProcessed!: Count;
  /** Growth of the documents and of the memories that were recorded directly, since the beginning of the time. */
  readonly memoriesGrowth!: number;
  /** Since the beginning of the time. */
  readonly connectionsGrowth!: number;
  /** Compared with the searches in the time of the same length before. */
  readonly searchGrowth!: number;
  /** Compared with the tokens in the time of the same length before. */
  readonly tokensGrowth!: number;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

const figures = ({ count, average, p50, p95 }: Summary): RequestFigures => ({
  count,
  ...{ avgDuration: rounded(average), p50Duration: rounded(p50), p95Duration: rounded(p95) },
});

export const usageAnswer = (usage: Usage, asked: Page): UsageAnswer => ({
  usage: usage.types.map((one) => ({ type: one.type, ...figures(one), lastUsed: isoTime(one.last) })),
  hourly: usage.hours.map((one) => ({ hour: isoTime(one.at), ...figures(one) })),
  byKey: usage.keys.map((one) => ({
    ...{ keyId: one.keyId, keyName: one.name },
    ...figures(one),
    lastUsed: isoTime(one.last),
  })),
  totalMemories: usage.totalMemories,
  proxy: {
    tokensProcessed: usage.tokens.processed,
    tokensSaved: usage.tokens.saved,
    tokensCached: usage.tokens.cached,
  },
  pagination: pagination(asked, usage.totalKeys),
});

export const errorsAnswer = (found: RequestErrors, asked: Page): ErrorsAnswer => ({
  totalErrors: found.errors,
  errorRate: found.requests === 0 ? 0 : found.errors / found.requests,
  topErrors: found.types.map(({ type, count, statuses, last }) => ({
    ...{ type, count, statusCodes: statuses },
    lastOccurred: isoTime(last),
  })),
  timeline: found.hours.map(({ at, count, types }) => ({ time: isoTime(at), count, types })),
  byStatusCode: found.byStatus,
  pagination: pagination(asked, found.totalTypes),
});

export const requestLog = ({ requests, total }: RequestList, asked: Page): RequestLog => ({
  logs: requests.map(({ id, at, type, status, milliseconds, keyId, method, route, bytesIn, bytesOut, code }) => ({
    ...{ id, createdAt: isoTime(at), type, statusCode: status, duration: rounded(milliseconds), keyId },
    input: { method, route, bytes: bytesIn },
    output: { bytes: bytesOut, code },
  })),
  pagination: pagination(asked, total),
});

export const totalsAnswer = (totals: AnalyticsTotals): AnalyticsTotalsAnswer => ({
  ...{ totalMemories: totals.memories, totalConnections: totals.connections, searchQueries: totals.searches },
  tokensProcessed: totals.tokens,
  ...{ memoriesGrowth: rounded(totals.memoriesGrowth), connectionsGrowth: rounded(totals.connectionsGrowth) },
  ...{ searchGrowth: rounded(totals.searchesGrowth), tokensGrowth: rounded(totals.tokensGrowth) },
});
