import { dashboardFaults, dashboardMetrics, documentedMetrics, familiesIn } from './support/dashboard.ts';
import { eventually, Mneme } from './support/mneme.ts';

const CONTENT = 'The quokka naps under the marula.';

/** Returns samples by name and labels, in the text format of the response. */
async function samplesOf(mneme: Mneme): Promise<ReadonlyMap<string, number>> {
  const { status, body } = await mneme.get<string>('/metrics');
  expect(status).toBe(200);
  const samples = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('metrics count requests, searches and erasures; log and metrics contain no content', async () => {
  const mneme = await Mneme.start({ env: { MNEME_METRICS: 'on', MNEME_LOG_LEVEL: 'debug' } });
  try {
    const id = await mneme.addAndWait(CONTENT, { customId: 'quokka-note' });
    await mneme.post('/v4/search', { q: 'where does the quokka nap' });
    expect((await mneme.request('DELETE', `/v3/documents/quokka-note`)).status).toBe(204);
    const samples = await eventually(async () => {
      const found = await samplesOf(mneme);
      return found.get('mneme_projection_lag_seconds') === 0 ? found : null;
    });
    const requests = (method: string, route: string, status: number) =>
      samples.get(`mneme_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`);
    expect(requests('POST', '/v3/documents', 200)).toBe(1);
    expect(requests('DELETE', '/v3/documents/:id', 204)).toBe(1);
    expect(samples.get('mneme_search_duration_seconds_count')).toBe(1);
    expect(samples.get('mneme_documents_erased_total')).toBe(1);
    for (const stage of ['extract', 'recognize', 'transcribe', 'chunk', 'embed', 'index', 'summarize']) {
      for (const state of ['waiting', 'in_flight']) {
        expect(samples.get(`mneme_pipeline_documents{stage="${stage}",state="${state}"}`)).toBe(0);
      }
    }
    const { body } = await mneme.get<string>('/metrics');
    // The dashboard shows every metric, and asks only for metrics and labels that are there.
    expect(dashboardFaults(body)).toEqual([]);
    const families = familiesIn(body);
    expect([...dashboardMetrics()].sort()).toEqual([...families.keys()].sort());
    expect(documentedMetrics()).toEqual(
      new Map([...families].map(([name, { type, labels }]) => [name, { type, labels }])),
    );
    await mneme.kill('SIGTERM');
    const log = mneme.output.join('\n');
    expect(log).toContain('"route":"/v4/search","status":200');
    for (const text of [body, log]) {
      expect(text).not.toMatch(/quokka|marula/i);
      expect(text).not.toContain(id);
    }
  } finally {
    await mneme.stop();
  }
});

test('metrics are off by default', async () => {
  const mneme = await Mneme.start();
  try {
    expect((await mneme.get('/metrics')).status).toBe(404);
  } finally {
    await mneme.stop();
  }
});
