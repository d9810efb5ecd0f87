/**
 * Sends adds or searches. All bodies are built before the first request. The only argument is the LoadRequest as JSON.
 */
import autocannon from 'autocannon';
import { sentence } from './support/texts.ts';

export interface LoadRequest {
  readonly url: string;
  readonly key: string;
  readonly connections: number;
  /** Seconds after a warm-up, or a number of requests without one. */
  readonly length: { readonly warmup: number; readonly seconds: number } | { readonly requests: number };
  /** Number of the first sentence. */
  readonly firstSentence: number;
  /** Sentences in each document. Default: 1. */
  readonly sentences?: number;
  /** The sentences are the questions of searches. Default: the contents of adds. */
  readonly asks?: true;
}

export interface LoadResult {
  /** Duration of the measured part. */
  readonly seconds: number;
  /** 2xx responses in the measured part. */
  readonly answered: number;
  readonly latencies: Float64Array;
  /** 2xx responses in total, warm-up included. */
  readonly answeredInAll: number;
  /** Other responses, broken connections and timeouts in total. */
  readonly failed: number;
}

export type FromLoad = { readonly measuring: true } | { readonly result: LoadResult };

/** Distinct sentences per connection, sent in a cycle. */
const SENTENCES = 4_096;
const TAGS = 8;

const {
  url,
  key,
  connections,
  length,
  firstSentence,
  sentences = 1,
  asks = false,
} = JSON.parse(process.argv[2] as string) as LoadRequest;
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const perConnection = 'requests' in length ? Math.ceil(length.requests / connections) : SENTENCES;

const bodies = Array.from({ length: connections }, (_, connection) =>
  Array.from({ length: perConnection }, (_, i) => {
    const number = firstSentence + connection * perConnection + i;
    const content = Array.from({ length: sentences }, (_, j) => sentence(number * sentences + j)).join(' ');
    return JSON.stringify({ [asks ? 'q' : 'content']: content, containerTag: `tag-${number % TAGS}` });
  }),
);

const latencies: number[] = [];
let answeredInAll = 0;
let measuringSince = Number.POSITIVE_INFINITY;
let lastAnswer = 0;
let connected = 0;

const running = autocannon(
  {
    url,
    connections,
    method: 'POST',
    headers,
    ...('requests' in length ? { amount: length.requests } : { duration: length.warmup + length.seconds }),
    setupClient(client) {
      const own = bodies[connected++ % connections] as string[];
      client.setRequests(own.map((body) => ({ method: 'POST', headers, body })));
    },
  },
  finish,
);

running.on('start', () => {
  if ('requests' in length) begin();
  else setTimeout(begin, length.warmup * 1_000);
});

running.on('response', (_client, status, _bytes, milliseconds) => {
  if (status < 200 || status > 299) return;
  answeredInAll += 1;
  if (measuringSince === Number.POSITIVE_INFINITY) return;
  latencies.push(milliseconds);
  lastAnswer = performance.now();
});

function begin(): void {
  measuringSince = performance.now();
  report({ measuring: true });
}

/** Sends the result; timeouts count as errors. The process ends when the parent disconnects. */
function finish(problem: Error | null, { errors, non2xx }: autocannon.Result): void {
  if (problem) throw problem;
  report({
    result: {
      seconds: (lastAnswer - measuringSince) / 1_000,
      answered: latencies.length,
      latencies: Float64Array.from(latencies),
      answeredInAll,
      failed: errors + non2xx,
    },
  });
}

function report(message: FromLoad): void {
  process.send?.(message);
}
