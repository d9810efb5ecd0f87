/** An answered HTTP request. */
export interface AnsweredRequest {
  readonly method: string;
  /** The pattern, e.g. `/v3/documents/:id`; never the requested URL. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** Documents at one stage of the pipeline. */
export interface StageQueue {
  readonly stage: string;
  readonly waiting: number;
  readonly inFlight: number;
}

/** Values that are read at each scrape. */
export interface MetricSources {
  /** Empty where another process dispatches the work. */
  queues?(): readonly StageQueue[];
  /** Age of the oldest event that the views do not show. */
  projectionLagSeconds?(): Promise<number>;
}

/** Records what a process does. A process with `MNEME_METRICS=off` has none, and nothing of it is timed. */
export interface Metrics {
  requestAnswered(request: AnsweredRequest): void;
  searched(seconds: number): void;
  embedded(input: 'question' | 'passages', seconds: number): void;
  documentErased(): void;
  /** A request with a wrong key, beyond 20 a minute from one address. */
  wrongKeyRepeated(): void;
  /** Answered requests that were not recorded one by one, because the store of figures did not answer for long. */
  analyticsLost(requests: number): void;
  setSources(sources: MetricSources): void;
  /** Returns the present values in the Prometheus text format. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}
