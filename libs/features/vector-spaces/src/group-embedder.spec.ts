import { type Embedder, type ModelStatus, ModelUnavailableError, type Window } from '#ports/models';
import { GroupEmbedder } from './group-embedder.ts';
import { DEFAULT_GROUP } from './groups.ts';

/** Embeds every text as one number. */
class OneModel implements Embedder {
  readonly comparesTokens = false;
  readonly space: string;
  readonly #listeners = new Set<(status: ModelStatus) => void>();
  #status: ModelStatus = { state: 'loading' };
  closed = false;

  constructor(space: string) {
    this.space = space;
  }

  status(): ModelStatus {
    return this.#status;
  }

  ready(): void {
    this.#status = { state: 'ready', space: { name: this.space, dimensions: 1 } };
    for (const listener of this.#listeners) listener(this.#status);
  }

  onStatus(listener: (status: ModelStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async embedQuestion(): Promise<Float32Array> {
    if (this.closed) throw new ModelUnavailableError('closed');
    return Float32Array.of(this.space.charCodeAt(0));
  }

  async embedPassages(texts: readonly string[]): Promise<readonly Float32Array[]> {
    return Promise.all(texts.map(() => this.embedQuestion()));
  }

  async embedWindows(windows: readonly Window[]): Promise<readonly (readonly Float32Array[])[]> {
    return Promise.all(windows.map((texts) => this.embedPassages(texts)));
  }

  compareTokens(): Promise<never> {
    return Promise.reject(new Error('a model of tests has no tokens'));
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

let started: OneModel[];
let group: GroupEmbedder;
const model = (space: string) => started.findLast((one) => one.space === space) as OneModel;
const answeredBy = async () => String.fromCharCode((await group.serving.embedder.embedQuestion('?'))[0] as number);
beforeEach(() => {
  started = [];
  group = new GroupEmbedder(
    DEFAULT_GROUP,
    (space) => {
      const one = new OneModel(space);
      started.push(one);
      return one;
    },
    'a',
  );
});

it('serve() makes the prepared space the serving one without loading its model again', async () => {
  model('a').ready();
  group.prepare('b');
  expect(group.coming?.embedder).toBe(model('b'));
  expect(await answeredBy()).toBe('a');
  model('b').ready();
  group.serve('b');
  expect(group.coming).toBeNull();
  expect(await answeredBy()).toBe('b');
  expect([model('a').closed, model('b').closed]).toEqual([true, false]);
  expect(started).toHaveLength(2);
});

it('a space keeps its own model after another one serves', async () => {
  const { serving } = group;
  group.prepare('b');
  group.serve('b');
  await expect(serving.embedder.embedPassages(['text'])).rejects.toThrow(ModelUnavailableError);
  expect(group.serving.embedder).toBe(model('b'));
});

it('onStatus() reports the serving model only, and each change of it', () => {
  const reported: (string | undefined)[] = [];
  group.onStatus((status) => reported.push(status.state === 'ready' ? status.space.name : status.state));
  model('a').ready();
  group.prepare('b');
  model('b').ready();
  group.serve('b');
  group.serve('c');
  model('b').ready();
  model('c').ready();
  expect(reported).toEqual(['a', 'b', 'loading', 'c']);
});

it('closes models that are neither serving nor coming, and loads each once', async () => {
  group.prepare('b');
  group.prepare('b');
  group.prepare('c');
  expect(model('b').closed).toBe(true);
  group.prepare('a');
  expect(model('c').closed).toBe(true);
  expect(group.coming).toBeNull();
  group.serve('a');
  expect(started.map(({ space }) => space)).toEqual(['a', 'b', 'c']);
  await group.close();
  expect(started.every(({ closed }) => closed)).toBe(true);
  group.prepare('d');
  group.serve('d');
  expect(started).toHaveLength(3);
});
