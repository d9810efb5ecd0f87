import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentStream, formerVectorsOf, type Live } from '#features/documents';
import { embeddedTexts } from '#features/vector-spaces/model';
import {
  type Embedder,
  EmbedderOff,
  EmbeddingInterruptedError,
  type ModelStatus,
  ModelUnavailableError,
  type Window,
} from '#ports/models';
import { SqliteVectorStore, type VectorStore } from '#ports/vector-store';
import { estimateTokens } from '#processing/extraction';
import type { Unit } from '#read-side/views';
import { embedDocument } from './embed-document.ts';
import { GroupEmbedder } from './group-embedder.ts';
import { DEFAULT_GROUP, LANGUAGES_GROUP, type SpaceGroup } from './groups.ts';
import { SpaceEmbedders } from './space-embedders.ts';

const document = (contentVersion: number, language: string | null = null) =>
  ({
    organization: 'org',
    id: 'doc',
    unitsDate: null,
    contentVersion,
    language,
    vectorSpace: null,
    memory: null,
  }) as Live;
const unit = (text: string): Unit => ({ id: 'u', kind: 'memory', ordinal: 0, text, speaker: null });

/** A model that is ready, and embeds every text as the same vector. */
class Model implements Embedder {
  readonly comparesTokens = false;
  readonly embedded: string[] = [];
  fault: Error | null = null;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  status(): ModelStatus {
    return { state: 'ready', space: { name: this.#name, dimensions: 2 } };
  }

  onStatus(): () => void {
    return () => {};
  }

  async embedQuestion(): Promise<Float32Array> {
    return Float32Array.of(1, 0);
  }

  async embedWindows(windows: readonly Window[]): Promise<readonly (readonly Float32Array[])[]> {
    return Promise.all(windows.map((texts) => this.embedPassages(texts)));
  }

  async embedPassages(texts: readonly string[]): Promise<readonly Float32Array[]> {
    if (this.fault !== null) throw this.fault;
    this.embedded.push(...texts);
    return texts.map(() => Float32Array.of(1, 0));
  }

  compareTokens(): Promise<never> {
    return Promise.reject(new Error('a model of tests has no tokens'));
  }

  async close(): Promise<void> {}
}

const GERMAN = 'Die Katze schläft auf dem Dach.';

let folder: string;
let vectors: VectorStore;
let models: Map<string, Model>;
let embedders: SpaceEmbedders;
beforeEach(async () => {
  counted = [];
  folder = await mkdtemp(join(tmpdir(), 'mneme-embed-'));
  vectors = await SqliteVectorStore.open(join(folder, 'vectors.db'));
  models = new Map(['a', 'b', 'x'].map((name) => [name, new Model(name)]));
  embedders = new SpaceEmbedders([groupOf(DEFAULT_GROUP, 'a'), groupOf(LANGUAGES_GROUP, 'x')]);
});
afterEach(async () => {
  await vectors.close();
  await rm(folder, { recursive: true });
});

const groupOf = (group: SpaceGroup, serving: string) =>
  new GroupEmbedder(group, (space) => models.get(space) as Embedder, serving);
const embed = (contentVersion: number, text: string, language: string | null = null) =>
  embedDocument(
    { embedders, vectors, isPresent: async () => true, embedded: (tokens) => void counted.push(tokens) },
    document(contentVersion, language),
    [unit(text)],
  );
/** Tokens that were embedded, of each batch. */
let counted: number[] = [];
/** Removes what the document has left to its former units. */
const withoutFormers = () => vectors.release(formerVectorsOf(documentStream(document(1).organization, document(1).id)));
/** Spaces in which the cache holds the vector of a text. */
async function held(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const space of ['a', 'b', 'x']) {
    const { passages } = embeddedTexts(space, document(1), [unit(text)]);
    if ((await vectors.get([...passages.keys()]))[0]) found.push(space);
  }
  return found;
}

it.each([null, 'en'])(
  'embeds in the serving space and in the coming one, and answers with the serving one: %s',
  async (language) => {
    embedders.of(DEFAULT_GROUP).prepare('b');
    expect(await embed(1, 'text', language)).toEqual([{ space: 'a', renewed: true }]);
    expect(await held('text')).toEqual(['a', 'b']);
  },
);

it('says how many tokens it embeds: once for two spaces, and none for what has vectors', async () => {
  embedders.of(DEFAULT_GROUP).prepare('b');
  await embed(1, 'eight letters make two tokens');
  expect(counted).toEqual([estimateTokens('eight letters make two tokens')]);
  await embed(1, 'eight letters make two tokens');
  expect(counted).toHaveLength(1);
});

it('embeds another language in the space of these alone', async () => {
  embedders.of(DEFAULT_GROUP).prepare('b');
  expect(await embed(1, GERMAN, 'de')).toEqual([{ space: 'x', renewed: true }]);
  expect(await held(GERMAN)).toEqual(['x']);
});

it('removes the vectors of a version in another language', async () => {
  await embed(1, 'text');
  await embed(2, GERMAN, 'de');
  await withoutFormers();
  expect([await held('text'), await held(GERMAN)]).toEqual([[], ['x']]);
  await embed(3, 'text');
  await withoutFormers();
  expect([await held('text'), await held(GERMAN)]).toEqual([['a'], []]);
});

it('embeds a short English text that was taken for another language as English', async () => {
  expect(await embed(1, 'My sister is expecting a baby in June.', 'af')).toMatchObject([{ space: 'a' }]);
});

it('embeds another language like English while its model cannot be had', async () => {
  (models.get('x') as Model).fault = new ModelUnavailableError('no source has it');
  expect(await embed(1, GERMAN, 'de')).toEqual([{ space: 'a', renewed: true }]);
});

it('makes no vector again that the cache holds', async () => {
  await embed(1, 'text');
  expect(await embed(1, 'text')).toEqual([{ space: 'a', renewed: false }]);
  expect(models.get('a')?.embedded).toEqual(['text']);
});

it('removes the vectors of an earlier version in every space', async () => {
  embedders.of(DEFAULT_GROUP).prepare('b');
  await embed(1, 'before');
  await embed(2, 'after');
  // Left to the units that have left the document.
  expect([await held('before'), await held('after')]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  await withoutFormers();
  expect([await held('before'), await held('after')]).toEqual([[], ['a', 'b']]);
});

it('leaves the vectors of a later version that is embedded meanwhile', async () => {
  let present = 2;
  const first = models.get('a') as Model;
  const embedPassages = first.embedPassages.bind(first);
  first.embedPassages = async (texts) => {
    if (present === 2) {
      present = 3;
      await embed(3, 'newest');
    }
    return embedPassages(texts);
  };
  const options = { embedders, vectors, isPresent: async () => present === 2, embedded: () => {} };
  const earlier = embedDocument(options, document(2), [unit('earlier')]);
  await expect(earlier).rejects.toMatchObject({ code: 'document_outdated' });
  expect(await held('newest')).toEqual(['a']);
});

it('embeds in a space that is begun while another one is embedded in', async () => {
  const first = models.get('a') as Model;
  const embedPassages = first.embedPassages.bind(first);
  first.embedPassages = async (texts) => {
    embedders.of(DEFAULT_GROUP).prepare('b');
    return embedPassages(texts);
  };
  await embed(1, 'text');
  expect(await held('text')).toEqual(['a', 'b']);
});

it('ignores the end of a coming space’s model, and throws that of a serving one', async () => {
  embedders.of(DEFAULT_GROUP).prepare('b');
  (models.get('b') as Model).fault = new EmbeddingInterruptedError('the process ended');
  expect((await embed(1, 'text')).map(({ space }) => space)).toEqual(['a']);
  (models.get('a') as Model).fault = new EmbeddingInterruptedError('the process ended');
  await expect(embed(1, 'other')).rejects.toThrow(EmbeddingInterruptedError);
});

it('throws if no serving model is ready', async () => {
  const loading = new EmbedderOff({ state: 'loading' });
  embedders = new SpaceEmbedders([new GroupEmbedder(DEFAULT_GROUP, () => loading, 'a')]);
  await expect(embed(1, 'text')).rejects.toThrow(ModelUnavailableError);
});
