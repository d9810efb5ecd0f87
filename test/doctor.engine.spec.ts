import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { addressOf } from './support/addresses.ts';
import { Cluster, TcpProxy } from './support/cluster.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** `mneme doctor` with unreachable engines: it names each one with the reason and reports the other checks. */

interface Report {
  readonly code: number;
  readonly err: string;
  readonly checks: ReadonlyMap<string, { readonly state: string; readonly detail: string }>;
  readonly engines: Readonly<Record<string, string>>;
}

type Line = { name: string; state: string; detail: string; done?: boolean; engines?: Record<string, string> };

function parseReport({
  code,
  out,
  err,
}: {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}): Report {
  const lines = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
  expect({ err, last: lines.at(-1) }).toMatchObject({ err: '', last: { done: true, sound: code === 0 } });
  const checks = new Map(lines.slice(0, -1).map((line) => [line.name, line]));
  return { code, err, checks, engines: lines.at(-1)?.engines ?? {} };
}

const stateOf = ({ checks }: Report, name: string) => checks.get(name)?.state;
const detailOf = ({ checks }: Report, name: string) => checks.get(name)?.detail;

describe('in a cluster', () => {
  let nats: TcpProxy;
  let openSearch: TcpProxy;
  let cluster: Cluster;
  const doctor = async () => parseReport(await cluster.cli('doctor', '--json'));

  beforeAll(async () => {
    nats = await TcpProxy.start(addressOf('MNEME_TEST_NATS_URL'));
    openSearch = await TcpProxy.start(addressOf('MNEME_TEST_OPENSEARCH_URL'));
    cluster = await Cluster.start({ natsUrl: nats.url, openSearchUrl: openSearch.url });
    const [api, worker] = [await cluster.start('api'), await cluster.start('worker')];
    await api.addAndWait('The numbat sleeps.');
    for (const one of [api, worker]) await one.kill('SIGTERM');
  });
  afterAll(async () => {
    await nats.cut();
    await openSearch.cut();
    await cluster.stop();
  });
  beforeEach(async () => {
    await nats.open();
    await openSearch.open();
    await cluster.log.start();
  });

  test('with all engines: versions and the backlog of each stage', async () => {
    const report = await doctor();
    expect([...report.checks.values()].filter(({ state }) => state === 'failed')).toEqual([]);
    expect(report.code).toBe(0);
    expect(report.engines).toEqual({
      EventStoreDB: '24.10.0',
      NATS: expect.stringMatching(/^2\.\d+\.\d+/),
      OpenSearch: expect.stringMatching(/^3\./),
    });
    for (const stage of ['extract', 'recognize', 'transcribe', 'chunk', 'embed', 'index', 'summarize']) {
      const counts = '0 waiting, 0 delivered and not acknowledged, 0 of these redelivered';
      expect(detailOf(report, `work: ${stage}`)).toBe(counts);
    }
    expect(detailOf(report, 'dead letters')).toBe('none');
    expect(detailOf(report, 'views')).toContain('up with the log');
    const kept = detailOf(report, 'data to keep') ?? '';
    expect(kept).toContain('the database of EventStoreDB at esdb://');
    expect(kept).toMatch(
      new RegExp(`the stream ${cluster.prefix}-keys on NATS .keys of every payload in the log; [1-9]`),
    );
    expect(kept).toContain(`the stream ${cluster.prefix}-blobs on NATS (files and long texts; `);
    expect(detailOf(report, 'lost content')).toBe('the views have not stopped for it');
  });

  test('without NATS', async () => {
    await nats.cut();
    const report = await doctor();
    expect(report.code).toBe(1);
    expect(detailOf(report, 'bus and blobs')).toMatch(/^NATS at .* cannot be reached/);
    expect(stateOf(report, 'work on the bus')).toBe('warning');
    expect(detailOf(report, 'event log')).toMatch(/EventStoreDB 24\.10\.0; its keys are on NATS/);
    expect(stateOf(report, 'views')).toBe('ok');
    expect(detailOf(report, 'backlog')).toBe('nothing waits');
    expect(Object.keys(report.engines).sort()).toEqual(['EventStoreDB', 'OpenSearch']);
  });

  test('without EventStoreDB', async () => {
    await cluster.log.stop();
    const report = await doctor();
    expect(report.code).toBe(1);
    expect(stateOf(report, 'event log')).toBe('failed');
    expect(detailOf(report, 'event log')).toMatch(/EventStoreDB at .* cannot be reached/);
    expect(stateOf(report, 'bus and blobs')).toBe('ok');
    expect(stateOf(report, 'work: extract')).toBe('ok');
    expect(detailOf(report, 'views')).toContain('how far they are behind the log is not known');
    expect(stateOf(report, 'failed documents')).toBe('warning');
    expect(Object.keys(report.engines).sort()).toEqual(['NATS', 'OpenSearch']);
  });

  test('without OpenSearch', async () => {
    await openSearch.cut();
    const report = await doctor();
    expect(report.code).toBe(1);
    expect(stateOf(report, 'views')).toBe('failed');
    expect(detailOf(report, 'views')).toMatch(/OpenSearch cannot be reached/);
    expect(stateOf(report, 'event log')).toBe('ok');
    expect(stateOf(report, 'work: extract')).toBe('ok');
    expect(Object.keys(report.engines).sort()).toEqual(['EventStoreDB', 'NATS']);
  });

  test('without any engine', async () => {
    await Promise.all([nats.cut(), openSearch.cut(), cluster.log.stop()]);
    const report = await doctor();
    expect(report.code).toBe(1);
    for (const name of ['event log', 'bus and blobs', 'views']) expect(stateOf(report, name)).toBe('failed');
    expect(stateOf(report, 'disk')).toBe('ok');
    expect(report.engines).toEqual({});
  });
});

test('reports NATS as unreachable with a running server and without a server', async () => {
  const nats = await TcpProxy.start(addressOf('MNEME_TEST_NATS_URL'));
  const prefix = `t${Math.random().toString(36).slice(2, 10)}`;
  const env = { MNEME_NATS_URL: nats.url, MNEME_PREFIX: prefix };
  const mneme = await Mneme.start({ env });
  const doctor = () =>
    new Promise<Report>((done) => {
      const program = resolve(import.meta.dirname, '../bin/mneme.js');
      const settings = { PATH: process.env.PATH, MNEME_DATA: mneme.folder, MNEME_EMBEDDING: 'off', ...env };
      execFile(process.execPath, [program, 'doctor', '--json'], { env: settings }, (error, out, err) =>
        done(parseReport({ code: Number(error?.code ?? 0), out, err })),
      );
    });
  try {
    await mneme.addAndWait('The numbat sleeps.');
    expect(await doctor()).toMatchObject({ code: 0 });
    await nats.cut();
    const asked = await eventually(async () => {
      const report = await doctor();
      return report.code === 1 ? report : null;
    });
    expect(detailOf(asked, 'server')).toContain(`process ${mneme.pid}`);
    await mneme.kill('SIGKILL');
    const alone = await doctor();
    expect(alone.code).toBe(1);
    expect(detailOf(alone, 'server')).toContain('none runs');
    for (const report of [asked, alone]) {
      expect(detailOf(report, 'bus and blobs')).toMatch(/^NATS at .* cannot be reached/);
      expect(stateOf(report, 'work on the bus')).toBe('warning');
      for (const name of ['event log', 'views', 'backlog', 'failed documents'])
        expect(stateOf(report, name)).toBe('ok');
    }
  } finally {
    await mneme.kill('SIGKILL');
    await mneme.stop();
    await nats.cut();
  }
});
