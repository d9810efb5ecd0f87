import { jest } from '@jest/globals';
import { err, ok } from '#kernel';
import type { OpenedStore } from './event-store.contract.ts';
import {
  type CommandHandler,
  ConcurrencyExhaustedError,
  createCommandHandler,
  createFoldCache,
  createUpcasters,
  type Decision,
  type EventStore,
  type Model,
  type NewEvent,
} from './index.ts';
import { event } from './testing.ts';

/** A notebook: lines are written into it until it is torn up. */
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

/** Decisions, folds and snapshots come out the same, whatever store is behind the handler. */
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
      if (events.length > 0) await store.append(stream, events, { expected: 'any' });
    }
    const when = (decide: (state: Notebook) => Decision<Refusal>, by = handler) =>
      by.execute({ stream, model: notebook, decide });
    /** The handler does not wait for its snapshots to be saved. */
    async function snapshotRevision(): Promise<number | null> {
      await Promise.all(saving.mock.results.map(({ value }) => value));
      return (await store.loadSnapshot(stream, 'notebook@1'))?.revision ?? null;
    }
    const storedLines = async () => (await store.readStream(stream)).events.map((each) => each.payload?.line ?? null);

    describe('executing a command', () => {
      it('given nothing, when a line is written, then the stream begins with it', async () => {
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

      it('given lines, when nothing is to be done, then nothing is stored and that is a success', async () => {
        await given(written('a'));
        expect(await when(write())).toEqual(
          ok({ state: { lines: ['a'], torn: false }, revision: 0, position: null, events: [] }),
        );
      });

      it('gives the decision the revision and the time', async () => {
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

      it('reads old events in their current form', async () => {
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
      it('lose nothing to each other, within a client or across clients', async () => {
        const handlers = [handler, newHandler(opened.other)];
        const results = await Promise.all(
          Array.from({ length: 40 }, (_, i) => when(write(`line ${i}`), handlers[i < 36 ? 0 : 1])),
        );
        expect(results.every((result) => result.ok)).toBe(true);
        expect(new Set(await storedLines()).size).toBe(40);
      });

      it('are noticed by a decision on a cached state, whether it appends or not', async () => {
        await when(write('a'));
        await given(written('b'));
        expect(await when(write('c'))).toMatchObject({ ok: true, value: { state: { lines: ['a', 'b', 'c'] } } });
        await given(written('d'));
        expect(await when(write('d'))).toEqual(err('line_repeated'));
        await given(written('e'));
        expect(await when(write())).toMatchObject({ ok: true, value: { state: { lines: ['a', 'b', 'c', 'd', 'e'] } } });
      });

      it('make the command give up, with an error that says so, when they always win', async () => {
        const append = jest.spyOn(store, 'append').mockResolvedValue({ ok: false, conflict: { actual: 7 } });
        await expect(when(write('a'))).rejects.toThrow(ConcurrencyExhaustedError);
        expect(append).toHaveBeenCalledTimes(8);
      });

      it('are not held up by a command that failed', async () => {
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
      it('sees what others appended since', async () => {
        expect(await handler.load(stream, notebook)).toEqual({ state: notebook.initialState, revision: 'no-stream' });
        await given(written('a'));
        expect((await handler.load(stream, notebook)).state.lines).toEqual(['a']);
        await given(written('b'));
        expect(await handler.load(stream, notebook)).toMatchObject({ state: { lines: ['a', 'b'] }, revision: 1 });
      });

      it('reads only what is new to it', async () => {
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
      it('goes without a fold, at the revision that the caller knows or not at all', async () => {
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

      it('goes to a stream that is there, whatever has become of it', async () => {
        expect(await handler.record(stream, () => [written('a')])).toBeNull();
        await given(written('a'));
        expect(await handler.record(stream, () => [written('b')])).not.toBeNull();
        expect(await storedLines()).toEqual(['a', 'b']);
      });
    });

    describe('snapshots', () => {
      const many = (count: number) => Array.from({ length: count }, (_, i) => written(`line ${i}`));

      it('are saved after 200 events, and spare a new process reading them', async () => {
        await given(...many(199));
        await handler.load(stream, notebook);
        expect(await snapshotRevision()).toBeNull();
        await when(write('the 200th'));
        expect(await snapshotRevision()).toBe(199);

        const read = jest.spyOn(store, 'readStream');
        const { state, revision } = await newHandler().load(stream, notebook);
        // How short the stream is, then what the snapshot lacks.
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

      it('are not asked for where a stream is too short to have one', async () => {
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

      it('change no outcome', async () => {
        await given(...many(450));
        await handler.load(stream, notebook);
        expect(await snapshotRevision()).toBe(449);
        await given(written('after'));
        const folded = await newHandler().load(stream, notebook);
        expect(folded.state.lines).toEqual(await storedLines());
      });
    });

    describe('erasure', () => {
      it('given lines, when the notebook is torn up, then no line is left in store, state, cache or snapshot', async () => {
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

      it('by someone else reaches a fold that was made before', async () => {
        await given(written('secret'));
        await handler.load(stream, notebook);
        await store.erase(stream);
        expect((await handler.load(stream, notebook)).state.lines).toEqual([]);
      });

      it('by someone else reaches the state that a command answers with', async () => {
        await when(write('secret'));
        await store.erase(stream);
        expect(await when(write('late'))).toMatchObject({ ok: true, value: { state: { lines: [] }, revision: 1 } });
      });

      it('keeps snapshots from coming back', async () => {
        await given(written('secret'));
        await store.erase(stream);
        await given(...Array.from({ length: 250 }, (_, i) => written(`line ${i}`)));
        await handler.load(stream, notebook);
        expect(await snapshotRevision()).toBeNull();
      });
    });
  });
}
