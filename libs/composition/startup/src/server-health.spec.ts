import { EmbedderOff } from '#ports/models';
import { type Health, ServerHealth } from './server-health.ts';

/** @returns what the server says of itself, with this different from a server that is well */
function reportWith({
  repairing = false,
  reached = true,
  writable = true,
  unreachable = [] as string[],
  missing = [] as string[],
  contentLoss = null as object | null,
  failingErasures = 0,
  leftOutRows = 0,
  closedSecrets = 0,
}) {
  const views = { repairing, progress: { reached: async () => reached } };
  return new ServerHealth({
    version: '1.2.3',
    embedder: { status: () => ({ state: 'off' }) },
    languages: { serving: { name: 'x.2.8', embedder: new EmbedderOff({ state: 'idle' }) } },
    reranker: { method: () => 'cross-encoder' },
    views,
    storage: { writable: () => writable },
    secrets: { count: async () => closedSecrets },
    engines: { report: async () => ({ unreachable, missing, contentLoss, failingErasures, leftOutRows }) },
    headAtStart: null,
    extraction: async () => EXTRACTION,
  } as unknown as ConstructorParameters<typeof ServerHealth>[0]).report();
}

const EXTRACTION = { ocr: [{ language: 'deu', state: 'missing' }], whisper: 'missing', ffmpeg: 'missing' };
const LOSS = { since: '2026-01-02T03:04:05.678Z', documents: 12 };

const WELL = {
  status: 'ok',
  search: { lexical: true, vectors: false, model: null, rerank: 'cross-encoder' },
  views: { rebuilding: false },
  storage: { writable: true },
  unreachable: [],
  missing: [],
  contentLoss: null,
  failingErasures: 0,
  leftOutRows: 0,
  closedSecrets: 0,
  extraction: EXTRACTION,
};

it('says that the server is well, also without weights and programs for files', async () => {
  expect(await reportWith({})).toMatchObject(WELL);
});

it('is well with secrets that cannot be opened, and says how many', async () => {
  expect(await reportWith({ closedSecrets: 3 })).toMatchObject({ ...WELL, closedSecrets: 3 });
});

it.each<[string, Parameters<typeof reportWith>[0], Partial<Health>]>([
  ['views do not show yet what the log held at the start', { reached: false }, { views: { rebuilding: true } }],
  ['damaged views are rebuilt', { repairing: true }, { views: { rebuilding: true } }],
  ['nothing can be written', { writable: false }, { storage: { writable: false } }],
  ['an engine does not answer', { unreachable: ['bus'] }, { unreachable: ['bus'] }],
  ['a stream that holds data is missing', { missing: ['mneme-keys'] }, { missing: ['mneme-keys'] }],
  ['the views have stopped', { contentLoss: LOSS }, { contentLoss: LOSS }],
  ['a deletion cannot be finished', { failingErasures: 2 }, { failingErasures: 2 }],
  ['a read model lacks rows', { leftOutRows: 1 }, { leftOutRows: 1 }],
])('is degraded while %s', async (_, state, expected) => {
  expect(await reportWith(state)).toMatchObject({ ...WELL, status: 'degraded', ...expected });
});
