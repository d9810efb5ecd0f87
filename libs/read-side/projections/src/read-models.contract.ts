import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentTexts } from '#features/documents';
import { type EventStore, type Position, SqliteEventStore } from '#ports/event-store';
import type { RowTable, StreamRow, ViewsReader, ViewsWriter } from '#read-side/views';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import { compareRows } from './compare-rows.ts';
import { Projector } from './projector.ts';
import type { ReadModel } from './read-model.ts';
import { eventModel, stateModel } from './row-models.ts';
import { runProjection } from './runner/run-projection.ts';
import { BUSY, LAST_MOVES, Library, MOVES, SHELVED } from './testing.ts';

export interface OpenedViews {
  readonly writer: ViewsWriter;
  readonly reader: ViewsReader;
  close(): Promise<void>;
}

/** Views that can be opened several times, one after the other. */
export interface TestViews {
  open(tables: readonly RowTable[]): Promise<OpenedViews>;
  remove(): Promise<void>;
}

const ALL = [SHELVED, MOVES, BUSY];

/** What every engine of the views must do with the rows of read models, from the log to the answer. */
export function readModelsContract(engine: string, newViews: () => Promise<TestViews>): void {
  describe(`read models on ${engine}`, () => {
    let folder: string;
    let store: EventStore;
    let library: Library;
    let views: TestViews;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mneme-read-models-'));
      store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
      library = new Library(store);
      views = await newViews();
    });
    afterEach(async () => {
      await views.remove();
      await store.close();
      await rm(folder, { recursive: true });
    });

    /** Opens views and follows the log into them. */
    async function follow(models: readonly ReadModel[], into: TestViews = views, log: EventStore = store) {
      const { writer, reader, close } = await into.open(models.flatMap(({ table }) => table ?? []));
      const stopping = new AbortController();
      const joined = Promise.withResolvers<void>();
      const watched: ViewsWriter = {
        checkpoint: () => writer.checkpoint(),
        positions: () => writer.positions(),
        vectorSpace: () => writer.vectorSpace(),
        apply: (...args) => writer.apply(...args),
        ...(writer.bring && { bring: async (changes) => writer.bring?.(changes) }),
        report: (...args) => writer.report(...args),
        leaveOut: (rows) => writer.leaveOut(rows),
        building: () => writer.building(),
        build: async (...args) => {
          await writer.build(...args);
          if (writer.building().length === 0) joined.resolve();
        },
        close: () => writer.close(),
      };
      let position: Position | null = await writer.checkpoint();
      let waiting = Promise.withResolvers<void>();
      const faults: unknown[] = [];
      const start = () =>
        runProjection({
          store: log,
          writer: watched,
          projector: new Projector({
            ...{ store: log, texts: new DocumentTexts({} as never), vectors: { get: () => [] }, space: 'test/1/32' },
            models,
          }),
          documents: {} as never,
          signal: stopping.signal,
          onProgress: (reached) => {
            position = reached;
            waiting.resolve();
            waiting = Promise.withResolvers();
          },
          onFault: (fault) => faults.push(fault),
        });
      let running: Promise<void> | null = null;
      const stop = async (expected: readonly unknown[] = []) => {
        stopping.abort();
        await running;
        await close();
        expect(faults).toEqual(expected);
      };
      const rows = async (model: ReadModel): Promise<readonly StreamRow[]> => {
        const scope = { organization: library.organization, tags: ['library'] };
        const page = { equals: {}, sort: null, order: 'asc', offset: 0, limit: 1_000 } as const;
        return (await reader.rows({ model: model.name, scope, ...page })).rows;
      };
      return {
        ...{ writer, reader, rows, joined: joined.promise, stop },
        start() {
          running = start();
          running.catch(() => undefined);
        },
        /** Resolves when everything that is in the log by now has been projected. */
        async level() {
          const head = (await log.head()) as Position;
          await until(() => position !== null && log.compare(position, head) >= 0);
        },
      };
    }
    type Followed = Awaited<ReturnType<typeof follow>>;

    async function following(models: readonly ReadModel[], into: TestViews = views): Promise<Followed> {
      const followed = await follow(models, into);
      followed.start();
      return followed;
    }

    /** The rows of each model, as views have them that are made from the whole log. */
    async function rebuilt(
      models: readonly ReadModel[],
      serving?: ViewsReader,
    ): Promise<readonly (readonly StreamRow[])[]> {
      const fresh = await newViews();
      const made = await following(models, fresh);
      await made.level();
      const rows = await Promise.all(models.map(made.rows));
      const scope = { organization: library.organization, tags: 'all' } as const;
      for (const { name } of serving ? models : []) {
        expect(await compareRows(serving as ViewsReader, made.reader, scope, name)).toBeNull();
      }
      await made.stop();
      await fresh.remove();
      return rows;
    }

    async function someBooks(): Promise<void> {
      await library.buy('Odyssey');
      await library.join('Ann');
      await library.move('Odyssey', 'A');
      await library.buy('Iliad');
      await library.move('Iliad', 'B');
      await library.move('Odyssey', 'C');
      await library.borrow('Ann');
    }

    it('has a row of what a stream comes to, and one of every event', async () => {
      const live = await following(ALL);
      await someBooks();
      await live.level();
      const odyssey = library.stream('book', 'Odyssey');
      const { organization } = library;
      const common = { organization, tags: ['library'], stream: odyssey };
      expect(await live.rows(SHELVED)).toContainEqual({
        ...{ ...common, revision: 2, values: { title: 'The Odyssey', shelf: 'C', moves: 2 } },
      });
      expect((await live.rows(MOVES)).filter(({ stream }) => stream === odyssey)).toEqual([
        { ...common, revision: 1, values: { shelf: 'A', kind: 'BookMoved' } },
        { ...common, revision: 2, values: { shelf: 'C', kind: 'BookMoved' } },
      ]);
      expect((await live.rows(BUSY)).map(({ values }) => values)).toEqual(
        expect.arrayContaining([
          { name: null, events: 2 },
          { name: 'Ann', events: 2 },
        ]),
      );
      await live.stop();
    });

    it('removes what it has of an erased stream', async () => {
      const live = await following(ALL);
      await someBooks();
      await live.level();
      await library.lose('Odyssey');
      await live.level();
      const odyssey = library.stream('book', 'Odyssey');
      const of = async (model: ReadModel) => (await live.rows(model)).filter(({ stream }) => stream === odyssey);
      expect(await of(SHELVED)).toEqual([]);
      expect((await of(MOVES)).map(({ values }) => values)).toEqual([{ shelf: null, kind: 'BookLost' }]);
      await live.stop();
    });

    it('comes to the same live, in any order of the streams, and rebuilt', async () => {
      const live = await following(ALL);
      const books = ['a', 'b', 'c', 'd', 'e'];
      for (const book of books) await library.buy(book);
      // A fixed sequence that mixes the streams.
      for (let i = 0, n = 7; i < 60; i++, n = (n * 31 + 11) % 101) {
        const book = books[n % books.length] as string;
        if (n % 4 === 0) await library.borrow(`reader-${n % 3}`);
        else await library.move(book, `shelf-${n}`);
        if (i === 20 || i === 40) await live.level();
        if (i === 30) await library.lose('b');
      }
      await live.level();
      const expected = await rebuilt(ALL, live.reader);
      expect(await Promise.all(ALL.map(live.rows))).toEqual(expected);
      expect(expected.every((rows) => rows.length > 0)).toBe(true);
      await live.stop();
    });

    it('replaces rows by their keys, live and rebuilt', async () => {
      const live = await following([LAST_MOVES]);
      for (const book of ['a', 'b']) await library.buy(book);
      for (const shelf of ['x', 'y', 'x', 'z']) await library.move('a', shelf);
      await library.move('b', 'x');
      await live.level();
      await library.move('a', 'not y');
      await library.move('a', 'z');
      await live.level();
      const rows = await live.rows(LAST_MOVES);
      const movesOf = (book: string) =>
        rows
          .filter(({ stream }) => stream.startsWith(`${library.stream('book', book)}/`))
          .map(({ values }) => `${values.shelf} ${values.at}`)
          .sort();
      expect([movesOf('a'), movesOf('b')]).toEqual([['x 3', 'z 6'], ['x 1']]);
      expect(await rebuilt([LAST_MOVES], live.reader)).toEqual([rows]);
      await live.stop();
    });

    it('leaves out rows that the views refuse, says so, and writes those that follow', async () => {
      // A text where a number belongs, as a mistake in a read model would write it.
      const faulty: ReadModel = stateModel<{ readonly shelf: string | null }>({
        ...{ name: 'faulty', version: 1, columns: { shelf: 'text', length: 'number' }, types: ['BookMoved'] },
        initialState: { shelf: null },
        evolve: (_, event) => ({ shelf: (event.payload?.shelf ?? null) as string | null }),
        rowsOf: ({ shelf }) => [{ shelf, length: shelf === 'cursed' ? 'many' : 1 }],
      });
      const shelves = async () => (await live.rows(faulty)).map(({ values }) => values.shelf).sort();
      let live = await following([faulty, MOVES]);
      await library.move('Iliad', 'B');
      await library.move('Odyssey', 'cursed');
      await library.move('Aeneid', 'D');
      await live.level();
      const stream = library.stream('book', 'Odyssey');
      const leftOut = [{ model: 'faulty', stream, reason: expect.any(String) }];
      expect(await shelves()).toEqual(['B', 'D']);
      expect(await live.reader.leftOut()).toEqual(leftOut);
      // The other read model has all.
      expect(await live.rows(MOVES)).toHaveLength(3);
      await live.stop([expect.objectContaining({ code: 'rows_rejected' })]);

      live = await following([faulty, MOVES]);
      expect(await live.reader.leftOut()).toEqual(leftOut);
      await library.move('Odyssey', 'E');
      await live.level();
      expect(await shelves()).toEqual(['B', 'D', 'E']);
      expect(await live.reader.leftOut()).toEqual([]);
      await live.stop();
    });

    it('differs from views of another log', async () => {
      const live = await following([SHELVED]);
      await someBooks();
      await live.level();
      const other = await newViews();
      const empty = await follow([SHELVED], other);
      const scope = { organization: library.organization, tags: 'all' } as const;
      const [first] = await live.rows(SHELVED);
      expect(await compareRows(live.reader, empty.reader, scope, 'shelved')).toEqual({
        ...{ stream: first?.stream, serving: first, rebuilt: null },
      });
      await empty.stop();
      await other.remove();
      await live.stop();
    });

    it('goes on from its checkpoint, and projects nothing twice', async () => {
      const first = await following(ALL);
      await someBooks();
      await first.level();
      await first.stop();
      await library.move('Iliad', 'D');
      const again = await following(ALL);
      expect(again.writer.building()).toEqual([]);
      await again.level();
      await library.lose('Iliad');
      await again.level();
      expect(await Promise.all(ALL.map(again.rows))).toEqual(await rebuilt(ALL));
      await again.stop();
    });

    it('is built from the log when it is added to full views, while the others serve', async () => {
      const before = await following([SHELVED]);
      await someBooks();
      await before.level();
      const served = await before.rows(SHELVED);
      await before.stop();

      const gate = Promise.withResolvers<void>();
      const held: EventStore = heldAt(store, gate.promise);
      const after = await follow(ALL, views, held);
      expect(
        after.writer
          .building()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(['busy', 'moves']);
      after.start();
      await expect(after.rows(MOVES)).rejects.toMatchObject({ name: 'ReadModelBuildingError' });
      expect(await after.rows(SHELVED)).toEqual(served);
      // New events reach all of them, even if they follow events that have not been read yet.
      await library.buy('Aeneid');
      await library.lose('Odyssey');
      await library.borrow('Ann');
      await after.level();
      await expect(after.rows(MOVES)).rejects.toMatchObject({ name: 'ReadModelBuildingError' });
      gate.resolve();
      await after.joined;
      await library.move('Aeneid', 'E');
      await after.level();
      expect(await Promise.all(ALL.map(after.rows))).toEqual(await rebuilt(ALL));
      await after.stop();

      const reopened = await follow(ALL);
      expect(reopened.writer.building()).toEqual([]);
      await reopened.stop();
    });

    it('is built again when its shape has changed, and removed when it is gone', async () => {
      const before = await following(ALL);
      await someBooks();
      await before.level();
      await before.stop();

      const { table: _table, projector: _projector, follows: _follows, ...declared } = MOVES;
      const changed = eventModel({
        ...{ ...declared, version: 2, columns: { number: 'number' } },
        rowsOf: ({ revision }) => [{ number: revision }],
      });
      const models = [SHELVED, changed];
      const after = await follow(models);
      expect(after.writer.building().map(({ name }) => name)).toEqual(['moves']);
      after.start();
      await after.joined;
      await after.level();
      expect((await after.rows(changed)).map(({ values }) => values)).toEqual([
        { number: 1 },
        { number: 1 },
        { number: 2 },
      ]);
      expect(await Promise.all(models.map(after.rows))).toEqual(await rebuilt(models));
      await after.stop();

      const back = await follow(ALL);
      expect(
        back.writer
          .building()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(['busy', 'moves']);
      await back.stop();
    });

    it('goes on building where it was when the process ended', async () => {
      const before = await following([SHELVED]);
      for (let i = 0; i < 600; i++) await library.buy(`book-${i}`);
      for (let i = 0; i < 600; i++) await library.move(`book-${i}`, 'A');
      await before.level();
      await before.stop();

      const interrupted = await follow([SHELVED, MOVES]);
      const [{ until }] = interrupted.writer.building() as unknown as [{ until: Position }];
      const { position } = await store.readAll({ after: null, limit: 700, envelopesOnly: true });
      await interrupted.writer.build('moves', [], position);
      await interrupted.stop();

      const after = await follow([SHELVED, MOVES]);
      expect(after.writer.building()).toEqual([{ name: 'moves', after: position, until }]);
      after.start();
      await after.joined;
      expect(await after.rows(MOVES)).toHaveLength(500);
      await after.stop();
    });
  });
}

/** Pages from the beginning of the log wait until the gate opens: only the building of a read model reads those. */
function heldAt(store: EventStore, gate: Promise<void>): EventStore {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      if (name !== 'readAll') return value.bind(target);
      return async (options: Parameters<EventStore['readAll']>[0]) => {
        const page = await target.readAll(options);
        if (options.after === null) await gate;
        return page;
      };
    },
  });
}
