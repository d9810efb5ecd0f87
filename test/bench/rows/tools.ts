import { Agent } from 'node:http';
import { Mneme } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import { drained } from '../support/documents.ts';
import { postOn } from '../support/post.ts';
import { median, milliseconds, percentile, whole } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const DOCUMENTS = 1_000;
const AT_ONCE = 100;
const QUESTIONS = 500;
const WARM_UP = 20;
const TARGET_MS = 3;
const TAG = 'tools';

/** A message of 2026-07-28 carries what its client is. */
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HEADERS = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'search_memory' };

/** What the tool server adds to a search: each question over HTTP, and as a call of a tool of both eras, in turn, by words. */
export const tools: Bench = {
  name: 'tools',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const documents = quick ? AT_ONCE : DOCUMENTS;
    const mneme = await Mneme.start();
    const connection = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (let from = 0; from < documents; from += AT_ONCE) {
        const batch = Array.from({ length: AT_ONCE }, (_, i) => ({ content: sentence(from + i), containerTag: TAG }));
        expectStatus((await mneme.post('/v3/documents/batch', { documents: batch })).status, 200, 'a batch');
      }
      progress('waiting until the documents are done');
      await drained(mneme, documents);
      const call = (query: string, meta: object) => ({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'search_memory', arguments: { query, includeProfile: false, containerTag: TAG }, ...meta },
      });
      const ways = {
        http: (q: string) => postOn(mneme, connection, '/v4/search', { q, containerTag: TAG, searchMode: 'hybrid' }),
        2025: (q: string) => postOn(mneme, connection, '/mcp', call(q, {})),
        2026: (q: string) => postOn(mneme, connection, '/mcp', call(q, { _meta: META }), HEADERS),
      };
      const first = performance.now();
      await ways[2025]('the first call');
      const loaded = performance.now() - first;
      const latencies = { http: [] as number[], 2025: [] as number[], 2026: [] as number[] };
      progress('asking');
      for (let i = 0; i < WARM_UP + (quick ? 20 : QUESTIONS); i += 1) {
        for (const way of ['http', 2025, 2026] as const) {
          const begun = performance.now();
          await ways[way](sentence(i));
          if (i >= WARM_UP) latencies[way].push(performance.now() - begun);
        }
      }
      const [http, former, present] = [latencies.http, latencies[2025], latencies[2026]].map(median) as [
        number,
        number,
        number,
      ];
      const p95 = percentile(latencies[2026], 0.95);
      const row = {
        what: `search in ${whole(documents)} one-sentence documents as a call of a tool, of clients of 2026 and 2025, and over HTTP`,
        measured: `p50 ${milliseconds(present)}, ${milliseconds(former)} and ${milliseconds(http)}; p95 ${milliseconds(p95)}; the first call of a process ${milliseconds(loaded)}`,
        target: `p50 + ${TARGET_MS} ms at most`,
        met: Math.max(former, present) <= http + TARGET_MS,
      };
      return { rows: [row], raw: { documents, loaded, latencies } };
    } finally {
      connection.destroy();
      await mneme.stop();
    }
  },
};
