import {
  addFigures,
  addTokens,
  type ChatTokens,
  type Figures,
  noFigures,
  type Period,
  percentileOf,
} from '#ports/analytics';

/** What requests come to. Durations in milliseconds. */
export interface Summary {
  readonly count: number;
  readonly average: number;
  readonly p50: number;
  readonly p95: number;
  /** When the last one was answered. Milliseconds since the epoch. */
  readonly last: number;
}

export type Named = readonly [name: string, figures: Figures];

/** Adds the figures of the same name in several periods. */
export function joined(
  periods: readonly Period[],
  namedIn: (period: Period) => readonly Named[],
): Map<string, Figures> {
  const all = new Map<string, Figures>();
  for (const period of periods) {
    for (const [name, figures] of namedIn(period)) {
      const found = all.get(name) ?? noFigures();
      addFigures(found, figures);
      all.set(name, found);
    }
  }
  return all;
}

export const summaryOf = ({ count, milliseconds, last, durations }: Figures): Summary => ({
  count,
  average: milliseconds / count,
  p50: percentileOf(durations, 0.5) ?? 0,
  p95: percentileOf(durations, 0.95) ?? 0,
  last,
});

/** Returns the tokens of all calls of language models in several periods. */
export function tokensOf(periods: readonly Period[]): Readonly<ChatTokens> {
  const sum = { tokens: { processed: 0, saved: 0, cached: 0 } };
  for (const { tokens } of periods) if (tokens !== undefined) addTokens(sum, tokens);
  return sum.tokens;
}
