import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '#config';
import { newId, type OrganizationId, systemClock } from '#kernel';
import { type Embedder, EmbedderOff, type ModelStatus, miniLmL6 } from '#models';
import { openParts, openStorage, type Parts } from '#runtime';
import { GroupEmbedder } from '../group-embedder.ts';
import { DEFAULT_GROUP } from '../groups.ts';
import { moveToPresentSpace } from './move-to-present-space.ts';

const { initialSpace: FORMER, presentSpace: PRESENT } = DEFAULT_GROUP;
const OTHER = miniLmL6.space.name;

const said: string[] = [];
const logger = { info: (message: string) => said.push(message), warn: () => {}, error: () => {} };

let folder: string;
let config: Config;
let parts: Parts;
let stopping: AbortController;
let following: Promise<unknown>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-move-'));
  ({ config } = loadConfig({ MNEME_DATA: folder }));
  said.length = 0;
});
afterEach(async () => {
  stopping.abort();
  await following;
  await parts.close();
  await rm(folder, { recursive: true });
});

async function open(): Promise<void> {
  parts = await openParts(config, { clock: systemClock, logger });
  stopping = new AbortController();
  following = parts.views.follow({ fencingToken: 1, signal: stopping.signal });
}

/** Writes the log of an installation that has recorded no vector space. */
async function openFormer(): Promise<void> {
  const storage = await openStorage(config, () => {});
  const founded = {
    ...{ id: newId(), type: 'OrganizationFounded', schemaVersion: 1, at: '2020-01-02T03:04:05.678Z' },
    ...{ organization: 'org' as OrganizationId, tags: [], actor: 'system', correlationId: 'first', causationId: null },
  };
  const event = { envelope: founded, payload: { name: 'Mneme' } };
  await storage.store.append('organization-org', [event], { expected: 'no-stream' });
  await storage.close();
  await open();
}

/** A model that is ready, and embeds nothing. */
class Model extends EmbedderOff {
  readonly #space: string;

  constructor(space: string) {
    super();
    this.#space = space;
  }

  override status(): ModelStatus {
    return { state: 'ready', space: { name: this.#space, dimensions: 384 } };
  }
}

async function move(
  start: (space: string) => Embedder = (space) => new Model(space),
  choicesAtStart = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { spaces, storage } = parts;
  const { serving, coming } = await spaces.load(DEFAULT_GROUP);
  const embedder = new GroupEmbedder(DEFAULT_GROUP, start, serving);
  embedder.prepare(coming ?? PRESENT);
  const sources = { ...parts, store: storage.store, vectors: storage.vectors };
  await moveToPresentSpace(sources, embedder, { logger, signal: stopping.signal, choicesAtStart });
  await embedder.close();
}

const spacesNow = async () => ({
  ...(await parts.spaces.load(DEFAULT_GROUP)),
  views: await parts.views.reader.vectorSpace(),
});

test('a new log begins in the present space, and nothing is moved', async () => {
  await open();
  await move();
  expect(await spacesNow()).toMatchObject({ serving: PRESENT, coming: null, views: PRESENT });
  expect(said).toEqual([]);
});

test('a log of an earlier version gets views of the present space, which then serve', async () => {
  await openFormer();
  expect(await spacesNow()).toMatchObject({ serving: FORMER, coming: null, views: FORMER });
  await move();
  expect(await spacesNow()).toMatchObject({ serving: PRESENT, coming: null, views: PRESENT });
});

test('a move that was begun and cut off is finished', async () => {
  await openFormer();
  await parts.spaces.begin(DEFAULT_GROUP, PRESENT);
  await move();
  expect(await spacesNow()).toMatchObject({ serving: PRESENT, coming: null, views: PRESENT });
});

test('nothing is moved while an operator builds another space, or without a model', async () => {
  await openFormer();
  await move(() => new EmbedderOff());
  await parts.spaces.begin(DEFAULT_GROUP, OTHER);
  await move();
  expect(await spacesNow()).toMatchObject({ serving: FORMER, coming: OTHER, views: FORMER });
});

test('a move that an operator has abandoned begins again in a process that starts later only', async () => {
  await openFormer();
  const { choices } = await parts.spaces.load(DEFAULT_GROUP);
  await parts.spaces.begin(DEFAULT_GROUP, PRESENT);
  await parts.spaces.begin(DEFAULT_GROUP, FORMER);
  await move(undefined, choices);
  expect(await spacesNow()).toMatchObject({ serving: FORMER, coming: null, views: FORMER });
  expect(said).toEqual([`${FORMER} goes on serving until the next start, as an operator wants it`]);

  await move(undefined, (await parts.spaces.load(DEFAULT_GROUP)).choices);
  expect(await spacesNow()).toMatchObject({ serving: PRESENT, coming: null, views: PRESENT });
});
