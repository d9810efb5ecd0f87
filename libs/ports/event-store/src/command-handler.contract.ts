import { jest } from '@jest/globals';
import pRetry from 'p-retry';
import { err, ok } from '#platform/kernel';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import type { OpenedStore } from './contract/context.contract.ts';
import {
  type ChainResult,
  type CommandHandler,
  ConcurrencyExhaustedError,
  createCommandHandler,
  createFoldCache,
  createUpcasters,
  type Decision,
  type EventStore,
  type Model,
  type NewEvent,
  type StreamChange,
} from './index.ts';
import { event } from './testing.ts';

/** A notebook: lines are written until it is erased. */
interface Notebook {
  readonly lines: readonly string[];
  readonly torn: boolean;
}

const notebook: Model<Notebook> = {
  name: 'notebook',
  version: 1,
  initialState: { lines: [], torn: false },
  evolve: (state, { envelope, payload }) => {
    if (envelope.type === 'Torn') return { lines: [], torn: true };
    return payload ? { ...state, lines: [...state.lines, String(payload.line)] } : state;
  },
};

const written = (line: string) => event('Written', { line });
const torn = () => event('Torn');

type Refusal = 'notebook_torn' | 'line_repeated';

const write =
  (...lines: string[]) =>
  (state: Notebook): Decision<Refusal> => {
    if (state.torn) return err('notebook_torn');
    if (lines.some((line) => state.lines.includes(line))) return err('line_repeated');
    return ok(lines.map(written));
  };
const tear = (state: Notebook): Decision<Refusal> => (state.torn ? ok([]) : ok({ events: [torn()], erase: true }));

const clock = { now: () => 1_700_000_000_000 };

/** Contract of the command handler, run on every event store. */
export function commandHandlerContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`command handler on ${name}`, () => {
    let opened: OpenedStore;
    let store: EventStore;
    let saving: jest.SpiedFunction<EventStore['saveSnapshot']>;
    let handler: CommandHandler;
    let stream: string;
    let streams = 0;

    const newHandler = (on: EventStore = store) =>
      createCommandHandler({ store: on, clock, cache: createFoldCache({ characters: 1_000_000 }) });

    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    beforeEach(() => {
      stream = `notebook-${++streams}`;
      saving = jest.spyOn(store, 'saveSnapshot');
      handler = newHandler();
    });
    afterEach(() => jest.restoreAllMocks());
    afterAll(() => opened.close());

    async function given(...events: NewEvent[]): Promise<void> {
      for (let at = 0; at < events.length; at += 12) {
        await store.append(stream, events.slice(at, at + 12), { expected: 'any' });
      }
    }
    const when = (decide: (state: Notebook) => Decision<Refusal>, by = handler) =>
      by.execute({ stream, model: notebook, decide });
    /** Waits for the snapshot, which the handler saves in the background. */
    async function snapshotRevision(): Promise<number | null> {
      await Promise.all(saving.mock.results.map(({ value }) => value));
      return (await store.loadSnapshot(stream, 'notebook@1'))?.revision ?? null;
    }
    const storedLines = async () => (await store.readStream(stream)).events.map((each) => each.payload?.line ?? null);

    describe('committing several changes', () => {
      it('knows the state of a change once it is recorded, while others are not', async () => {
        const [first, second] = [`${stream}-first`, `${stream}-second`];
        const recording = Promise.withResolvers<void>();
        const together = store.appendTogether.bind(store);
        // As an engine without transactions over streams.
        jest.spyOn(store, 'appendTogether').mockImplementation(async ([one = [], two = []], { onRecorded } = {}) => {
          const results = [...(await together([one]))];
          onRecorded?.(one, results[0] as ChainResult);
          await recording.promise;
          return [...results, ...(await together([two]))];
        });
        const change = (name: string): StreamChange[] => {
          const from = { state: notebook.initialState, revision: 'no-stream' as const };
          return [{ stream: name, model: notebook as Model<unknown>, from, events: [written('a')] }];
        };
        const committing = handler.commit([change(first), change(second)]);
        await until(() => handler.holds(first, notebook));
        expect(handler.holds(second, notebook)).toBe(false);
        // What is written to it in between is not forgotten when the commit ends.
        await handler.execute({ stream: first, model: notebook, decide: write('b') });
        recording.resolve();
        expect(await committing).toMatchObject([{ ok: true }, { ok: true }]);
        const reads = jest.spyOn(store, 'readStream');
        const load = (name: string) => handler.load(name, notebook, { mayBeStale: true });
        expect(await load(first)).toEqual({ state: { lines: ['a', 'b'], torn: false }, revision: 1 });
        expect(await load(second)).toEqual({ state: { lines: ['a'], torn: false }, revision: 0 });
        expect(reads).not.toHaveBeenCalled();
      });
    });

    describe('executing a command', () => {
      it('given no stream, when a line is written, then the stream is created', async () => {
        const result = await when(write('a'));
        expect(result).toMatchObject({ ok: true, value: { state: { lines: ['a'] }, revision: 0, events: [{}] } });
        expect(result.ok && result.value.position).toBe(await store.head());
        expect(await storedLines()).toEqual(['a']);
      });

      it('given lines, when more are written at once, then they follow', async () => {
        await given(written('a'), written('b'));
        expect(await when(write('c', 'd'))).toMatchObject({
          ok: true,
          value: { state: { lines: ['a', 'b', 'c', 'd'] }, revision: 3 },
        });
      });

      it('given a line, when it is written again, then it is refused and nothing is stored', async () => {
        await given(written('a'));
        expect(await when(write('a'))).toEqual(err('line_repeated'));
        expect(await storedLines()).toEqual(['a']);
      });

      it('given lines, when a decision returns no events, then it succeeds and stores nothing', async () => {
        await given(written('a'));
        expect(await when(write())).toEqual(
          ok({ state: { lines: ['a'], torn: false }, revision: 0, position: null, events: [] }),
        );
      });

      it('passes revision and time to the decision', async () => {
        const seen: unknown[] = [];
        const look = () =>
          handler.execute({
            stream,
            model: notebook,
            decide: (_, ...rest) => {
              seen.push(rest);
              return ok([]);
            },
          });
        await look();
        await given(written('a'));
        await look();
        expect(seen).toEqual([
          ['no-stream', clock.now()],
          [0, clock.now()],
        ]);
      });

      it('upcasts old events', async () => {
        await given(event('Written', { text: 'old' }, { schemaVersion: 1 }));
        const upcasters = createUpcasters({ Written: { 1: ({ text }) => ({ line: text }) } }, { Written: 2 });
        const reading = createCommandHandler({
          store,
          clock,
          cache: createFoldCache({ characters: 1_000 }),
          upcasters,
        });
        expect((await reading.load(stream, notebook)).state.lines).toEqual(['old']);
      });
    });

    describe('other writers', () => {
      it('lose no event, within a client and across clients', async () => {
        const handlers = [handler, newHandler(opened.other)];
        // On a busy machine one client may lose every race; it is then told to repeat its command.
        const writeOne = (i: number) =>
          pRetry(() => when(write(`line ${i}`), handlers[i < 36 ? 0 : 1]), {
            ...{ retries: 50, minTimeout: 10, factor: 1 },
            shouldRetry: ({ error }) => error instanceof ConcurrencyExhaustedError,
          });
        const results = await Promise.all(Array.from({ length: 40 }, (_, i) => writeOne(i)));
        expect(results.every((result) => result.ok)).toBe(true);
        expect(new Set(await storedLines()).size).toBe(40);
      });

      it('are seen by a decision on a cached state, with or without events', async () => {
        await when(write('a'));
        await given(written('b'));
        expect(await when(write('c'))).toMatchObject({ ok: true, value: { state: { lines: ['a', 'b', 'c'] } } });
        await given(written('d'));
        expect(await when(write('d'))).toEqual(err('line_repeated'));
        await given(written('e'));
        expect(await when(write())).toMatchObject({ ok: true, value: { state: { lines: ['a', 'b', 'c', 'd', 'e'] } } });
      });

      it('make the command throw ConcurrencyExhaustedError if they always win', async () => {
        const append = jest.spyOn(store, 'append').mockResolvedValue({ ok: false, conflict: { actual: 7 } });
        await expect(when(write('a'))).rejects.toThrow(ConcurrencyExhaustedError);
        expect(append).toHaveBeenCalledTimes(8);
      });

      it('are not blocked by a command that failed', async () => {
        const failing = handler.execute({
          stream,
          model: notebook,
          decide: () => {
            throw new Error('a bug');
          },
        });
        const following = when(write('a'));
        await expect(failing).rejects.toThrow('a bug');
        expect(await following).toMatchObject({ ok: true });
      });
    });

    describe('loading', () => {
      it('includes later events of other writers', async () => {
        expect(await handler.load(stream, notebook)).toEqual({ state: notebook.initialState, revision: 'no-stream' });
        await given(written('a'));
        expect((await handler.load(stream, notebook)).state.lines).toEqual(['a']);
        await given(written('b'));
        expect(await handler.load(stream, notebook)).toMatchObject({ state: { lines: ['a', 'b'] }, revision: 1 });
      });

      it('reads only events after the cached state', async () => {
        await given(written('a'), written('b'));
        await handler.load(stream, notebook);
        const read = jest.spyOn(store, 'readStream');
        await handler.load(stream, notebook);
        expect(read.mock.calls).toEqual([[stream, { from: 2 }]]);
      });

      it('keeps two models of one stream apart', async () => {
        const counting: Model<{ count: number }> = {
          name: 'counting',
          version: 1,
          initialState: { count: 0 },
          evolve: ({ count }) => ({ count: count + 1 }),
        };
        await given(written('a'), written('b'));
        for (let time = 0; time < 2; time++) {
          expect((await handler.load(stream, notebook)).state.lines).toEqual(['a', 'b']);
          expect((await handler.load(stream, counting)).state).toEqual({ count: 2 });
        }
      });
    });

    describe('recording', () => {
      it('appends without folding, only at the expected revision', async () => {
        await given(written('a'), written('b'));
        const read = jest.spyOn(store, 'readStream');
        expect(handler.holds(stream, notebook)).toBe(false);
        expect(await handler.record(stream, () => [written('too early')], { expected: 0 })).toBeNull();
        expect(await handler.record(stream, () => [written('c')], { expected: 1 })).not.toBeNull();
        expect(read).not.toHaveBeenCalled();
        expect(await storedLines()).toEqual(['a', 'b', 'c']);
        await handler.load(stream, notebook);
        expect(handler.holds(stream, notebook)).toBe(true);
      });

      it('appends to an existing stream in any state', async () => {
        expect(await handler.record(stream, () => [written('a')])).toBeNull();
        await given(written('a'));
        expect(await handler.record(stream, () => [written('b')])).not.toBeNull();
        expect(await storedLines()).toEqual(['a', 'b']);
      });
    });

    describe('snapshots', () => {
      const many = (count: number) => Array.from({ length: count }, (_, i) => written(`line ${i}`));

      it('are saved after 200 events and used by a new process', async () => {
        await given(...many(199));
        await handler.load(stream, notebook);
        expect(await snapshotRevision()).toBeNull();
        await when(write('the 200th'));
        expect(await snapshotRevision()).toBe(199);

        const read = jest.spyOn(store, 'readStream');
        const { state, revision } = await newHandler().load(stream, notebook);
        // One read finds that the stream is long, the next reads the events after the snapshot.
        expect(read.mock.calls).toEqual([
          [stream, { limit: 32 }],
          [stream, { from: 200 }],
        ]);
        expect([state.lines.length, revision]).toEqual([200, 199]);
      });

      it('are saved again after 200 more', async () => {
        await given(...many(250));
        await handler.load(stream, notebook);
        await given(...many(199));
        await handler.load(stream, notebook);
        expect(await snapshotRevision()).toBe(249);
        await given(...many(1));
        await newHandler().load(stream, notebook);
        expect(await snapshotRevision()).toBe(449);
      });

      it('are not loaded for a stream that is too short', async () => {
        await given(...many(31));
        const ask = jest.spyOn(store, 'loadSnapshot');
        const read = jest.spyOn(store, 'readStream');
        expect((await newHandler().load(stream, notebook)).state.lines).toHaveLength(31);
        expect(read).toHaveBeenCalledTimes(1);
        await given(written('one more'));
        expect((await newHandler().load(stream, notebook)).state.lines).toHaveLength(32);
        expect(ask).toHaveBeenCalledTimes(1);
      });

      it('of another version of the model are not used', async () => {
        await given(...many(200));
        await handler.load(stream, notebook);
        expect(await snapshotRevision()).toBe(199);
        const changed: Model<Notebook> = { ...notebook, version: 2, initialState: { lines: ['new'], torn: false } };
        expect((await newHandler().load(stream, changed)).state.lines).toHaveLength(201);
      });

      it('do not change a state', async () => {
        await given(...many(450));
        await handler.load(stream, notebook);
        expect(await snapshotRevision()).toBe(449);
        await given(written('after'));
        const folded = await newHandler().load(stream, notebook);
        expect(folded.state.lines).toEqual(await storedLines());
      });
    });

    describe('erasure', () => {
      it('given lines, when the notebook is erased, then no line remains in store, state, cache or snapshot', async () => {
        await given(...Array.from({ length: 250 }, (_, i) => written(`line ${i}`)));
        await handler.load(stream, notebook);
        expect(await when(tear)).toMatchObject({
          ok: true,
          value: { state: { lines: [], torn: true }, revision: 250 },
        });
        expect(new Set(await storedLines())).toEqual(new Set([null]));
        expect(await snapshotRevision()).toBeNull();
        expect(await when(write('late'))).toEqual(err('notebook_torn'));
        expect(await when(tear)).toMatchObject({ ok: true, value: { events: [] } });
      });

      it('by another client drops a cached fold', async () => {
        await given(written('secret'));
        await handler.load(stream, notebook);
        await store.erase(stream);
        expect((await handler.load(stream, notebook)).state.lines).toEqual([]);
      });

      it('by another client applies to the state that a command returns', async () => {
        await when(write('secret'));
        await store.erase(stream);
        expect(await when(write('late'))).toMatchObject({ ok: true, value: { state: { lines: [] }, revision: 1 } });
      });

      it('prevents later snapshots', async () => {
        await given(written('secret'));
        await store.erase(stream);
        await given(...Array.from({ length: 250 }, (_, i) => written(`line ${i}`)));
        await handler.load(stream, notebook);
        expect(await snapshotRevision()).toBeNull();
      });
    });
  });
}
