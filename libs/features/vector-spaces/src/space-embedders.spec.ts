import { EmbedderOff, type ModelStatus } from '#ports/models';
import { GroupEmbedder } from './group-embedder.ts';
import { DEFAULT_GROUP, type SpaceGroup } from './groups.ts';
import { SpaceEmbedders } from './space-embedders.ts';

const OTHER: SpaceGroup = { name: 'other', initialSpace: 'x' };

let states: Record<string, 'ready' | 'loading'>;
let closed: string[];
let embedders: SpaceEmbedders;
beforeEach(() => {
  states = {};
  closed = [];
  const start = (name: string) => {
    const embedder = new EmbedderOff();
    const status = (): ModelStatus =>
      states[name] === 'ready' ? { state: 'ready', space: { name, dimensions: 1 } } : { state: 'loading' };
    return Object.assign(embedder, { status, close: async () => void closed.push(name) });
  };
  embedders = new SpaceEmbedders([
    new GroupEmbedder(DEFAULT_GROUP, start, 'a'),
    new GroupEmbedder(OTHER, start, OTHER.initialSpace),
  ]);
});
const ready = () =>
  [DEFAULT_GROUP, OTHER]
    .flatMap((group) => embedders.ready(group))
    .map(({ name, isServing }) => `${name}${isServing ? ' serves' : ''}`);

it('gives the models of a group', () => {
  expect(embedders.of(DEFAULT_GROUP).serving.name).toBe('a');
  expect(embedders.of(OTHER).serving.name).toBe('x');
  expect(() => embedders.of({ name: 'unknown', initialSpace: 'a' })).toThrow(RangeError);
});

it('is ready in the serving space, and in the coming one when its model is loaded too', () => {
  expect(ready()).toEqual([]);
  states = { a: 'ready' };
  embedders.of(DEFAULT_GROUP).prepare('b');
  expect(ready()).toEqual(['a serves']);
  states = { a: 'ready', b: 'ready' };
  expect(ready()).toEqual(['a serves', 'b']);
  embedders.of(DEFAULT_GROUP).serve('b');
  expect(ready()).toEqual(['b serves']);
});

it('is not ready in a coming space without its serving one', () => {
  states = { b: 'ready', x: 'ready' };
  embedders.of(DEFAULT_GROUP).prepare('b');
  expect(ready()).toEqual(['x serves']);
});

it('changes the spaces of one group and leaves the other as it is', async () => {
  embedders.of(DEFAULT_GROUP).prepare('b');
  expect(embedders.names()).toEqual(['a', 'b', 'x']);
  embedders.of(DEFAULT_GROUP).serve('b');
  expect(embedders.names()).toEqual(['b', 'x']);
  expect(closed).toEqual(['a']);
  await embedders.close();
  expect(closed).toEqual(['a', 'b', 'x']);
});
