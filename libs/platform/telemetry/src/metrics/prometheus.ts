import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MetricSources, Metrics } from './port.ts';

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SEARCH_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const MODEL_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createPrometheusMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  let sources: MetricSources = {};

  const requests = new Histogram({
    name: 'mneme_http_request_duration_seconds',
    help: 'Time from the arrival of an HTTP request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const searches = new Histogram({
    name: 'mneme_search_duration_seconds',
    help: 'Time of one search of the views, without embedding the question.',
    buckets: SEARCH_BUCKETS,
    registers,
  });
  const embeddings = new Histogram({
    name: 'mneme_embedding_duration_seconds',
    help: 'Time of one call of the embedding model, waiting included.',
    labelNames: ['input'],
    buckets: MODEL_BUCKETS,
    registers,
  });
  // Rates of a series that begins with its first value would miss this value.
  for (const input of ['question', 'passages']) embeddings.zero({ input });
  const erasures = new Counter({
    name: 'mneme_documents_erased_total',
    help: 'Documents whose content was erased from the event log.',
    registers,
  });
  const wrongKeys = new Counter({
    name: 'mneme_wrong_keys_total',
    help: 'Requests with a wrong key beyond 20 a minute from one address.',
    registers,
  });
  const lostRequests = new Counter({
    name: 'mneme_analytics_lost_requests_total',
    help: 'Answered requests that the list of requests lacks, because its store did not answer for long.',
    registers,
  });
  new Gauge({
    name: 'mneme_pipeline_documents',
    help: 'Documents at a stage of the pipeline, waiting or in flight.',
    labelNames: ['stage', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { stage, waiting, inFlight } of sources.queues?.() ?? []) {
        this.set({ stage, state: 'waiting' }, waiting);
        this.set({ stage, state: 'in_flight' }, inFlight);
      }
    },
  });
  new Gauge({
    name: 'mneme_projection_lag_seconds',
    help: 'Age of the oldest event that the views do not show; 0 when they show all, NaN while it is unknown.',
    registers,
    async collect() {
      this.set((await sources.projectionLagSeconds?.().catch(() => undefined)) ?? Number.NaN);
    },
  });

  return {
    requestAnswered: ({ method, route, status, seconds }) => requests.observe({ method, route, status }, seconds),
    searched: (seconds) => searches.observe(seconds),
    embedded: (input, seconds) => embeddings.observe({ input }, seconds),
    documentErased: () => erasures.inc(),
    wrongKeyRepeated: () => wrongKeys.inc(),
    analyticsLost: (requests) => lostRequests.inc(requests),
    setSources: (next) => {
      sources = next;
    },
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
