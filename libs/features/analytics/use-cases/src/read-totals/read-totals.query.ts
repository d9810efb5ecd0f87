import { Query } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';
import type { Span } from '#ports/analytics';

export interface AnalyticsTotals {
  readonly memories: number;
  /** Connections to sources. */
  readonly connections: number;
  readonly searches: number;
  /** Tokens that went on to language models. */
  readonly tokens: number;
  /** By what part the sources of memories, which are documents and memories recorded directly, have grown. Percent. */
  readonly memoriesGrowth: number;
  /** The same of connections. Percent. */
  readonly connectionsGrowth: number;
  /** By what part there were more searches than in the time of the same length before. Percent. */
  readonly searchesGrowth: number;
  /** The same of tokens. Percent. */
  readonly tokensGrowth: number;
}

/** Returns what the organization holds, how often it is searched, and how both have grown. */
export class ReadTotals extends Query<AnalyticsTotals> {
  constructor(
    readonly principal: Principal,
    readonly span: Span,
  ) {
    super();
  }
}
