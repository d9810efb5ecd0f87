import type { Selection } from '#features/documents';
import { runDeletions } from '#features/documents/clean-up';
import { actorOf, ok, systemScope, writeScope } from '#platform/kernel';
import type { EventStore } from '#ports/event-store';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { ORGANIZATION, OWNER, openUseCases, type UseCases } from '../testing.ts';

/** Bulk deletions that are interrupted, asked for again, or met by changes of their documents. */

let useCases: UseCases;
beforeEach(async () => {
  useCases = await openUseCases();
});
afterEach(() => useCases.close());

type RunOptions = Parameters<typeof runDeletions>[0];

const FOREVER = new AbortController().signal;
const TAG: Selection = { by: 'tags', tags: ['a'] };

const request = (selection: Selection) =>
  useCases.bulkDeletions.delete(writeScope(OWNER), actorOf(OWNER), selection, FOREVER);
const isLive = async (id: string) => !(await useCases.eventTypes(id)).includes('DocumentDeleted');
const addMany = (count: number, tag: string) => Promise.all(Array.from({ length: count }, () => useCases.added([tag])));

/** Carries out what is open until the signal aborts. */
const carryOut = (signal: AbortSignal, changed: Partial<RunOptions> = {}) =>
  runDeletions({ ...useCases.runOptions, ...changed, signal });

/** Runs `work` while a process carries out bulk deletions. */
async function whileCarriedOut<T>(work: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const running = carryOut(stop.signal);
  try {
    return await work();
  } finally {
    stop.abort();
    await running;
  }
}

async function untilNoneIsOpen(): Promise<void> {
  await until(
    () => useCases.deletionLog.open(),
    ({ length }) => length === 0,
  );
}

/** Resolves when the request is recorded; nothing carries it out. */
async function requested(selection: Selection): Promise<void> {
  const before = (await useCases.deletionLog.open()).length;
  const stop = new AbortController();
  const waiting = useCases.bulkDeletions
    .delete(writeScope(OWNER), actorOf(OWNER), selection, stop.signal)
    .catch(() => undefined);
  await until(
    async () => {
      const open = await useCases.deletionLog.open();
      return open.length > before ? useCases.deletionLog.read(open.at(-1)!) : null;
    },
    (last) => last?.state.status === 'running',
  );
  stop.abort();
  await waiting;
}

test('a deletion that was interrupted goes on, and the same request gets the totals of the whole', async () => {
  await addMany(300, 'a');
  await useCases.project();
  await requested(TAG);
  const interrupt = new AbortController();
  let deleted = 0;
  await carryOut(interrupt.signal, {
    hide: () => {
      deleted += 1;
      interrupt.abort();
    },
  });
  expect(deleted).toBeGreaterThan(0);
  expect(deleted).toBeLessThan(300);
  const again = request(TAG);
  expect(await whileCarriedOut(() => again)).toEqual(ok({ deletedCount: 300, errors: [] }));
  expect(await useCases.deletionLog.open()).toEqual([]);
});

test('an erasure that fails is an error of the request, and keeps neither the deletion nor another erasure from its end', async () => {
  const ids = await addMany(3, 'a');
  await useCases.project();
  const erased: string[] = [];
  const erasure = Object.create(useCases.erasure) as typeof useCases.erasure;
  erasure.erase = async (_, id) => {
    if (id === ids[0]) throw new Error('EACCES: permission denied');
    erased.push(id);
  };
  const warnings: string[] = [];
  const stop = new AbortController();
  const logger = { warn: (message: string) => void warnings.push(message) };
  const running = carryOut(stop.signal, { erasure, logger });
  await expect(request(TAG)).rejects.toMatchObject({ kind: 'transient', code: 'erasure_delayed' });
  stop.abort();
  await running;
  expect(await useCases.deletionLog.open()).toEqual([]);
  expect(erased.sort()).toEqual(ids.slice(1).sort());
  expect(warnings).toEqual([expect.stringContaining('permission denied')]);
});

test('what a process has deleted and not erased when it ended is erased by the next one', async () => {
  const ids = await addMany(3, 'a');
  await useCases.project();
  await requested(TAG);
  const interrupt = new AbortController();
  const erasureWith = (erase: typeof useCases.erasure.erase) =>
    Object.assign(Object.create(useCases.erasure) as typeof useCases.erasure, { erase });
  const ends = erasureWith(async () => {
    interrupt.abort();
    throw new Error('the process ends');
  });
  await carryOut(interrupt.signal, { erasure: ends, logger: { warn: () => undefined } });
  expect(await Promise.all(ids.map(isLive))).toEqual([false, false, false]);
  const erased: string[] = [];
  const stop = new AbortController();
  const running = carryOut(stop.signal, { erasure: erasureWith(async (_, id) => void erased.push(id)) });
  await untilNoneIsOpen();
  stop.abort();
  await running;
  expect(erased.sort()).toEqual(ids.sort());
});

test('an error in between does not change the totals', async () => {
  await addMany(300, 'a');
  await useCases.project();
  const stop = new AbortController();
  let deleted = 0;
  const running = carryOut(stop.signal, {
    hide: () => {
      deleted += 1;
      if (deleted === 40) throw new Error('the log does not answer');
    },
  });
  expect(await request(TAG)).toEqual(ok({ deletedCount: 300, errors: [] }));
  stop.abort();
  await running;
});

test('the same request joins one that is still being recorded', async () => {
  const recorded = Promise.withResolvers<void>();
  const slow = await openUseCases({
    behaviour: {
      async append(this: EventStore, stream, ...rest) {
        if (stream.startsWith('deletion-')) await recorded.promise;
        return this.append(stream, ...rest);
      },
    },
  });
  const stop = new AbortController();
  try {
    const ids = await Promise.all(Array.from({ length: 3 }, () => slow.added(['a'])));
    const selection: Selection = { by: 'ids', ids };
    const ask = () => slow.bulkDeletions.delete(writeScope(OWNER), actorOf(OWNER), selection, FOREVER);
    const first = ask();
    await until(
      () => slow.deletionLog.open(),
      ({ length }) => length > 0,
    );
    const second = ask();
    await new Promise(setImmediate);
    recorded.resolve();
    const [opened] = await slow.deletionLog.open();
    if (opened === undefined) throw new Error('nothing is open');
    await until(
      async () => (await slow.deletionLog.read(opened)).requests,
      ({ length }) => length === 2,
    );
    const running = runDeletions({ ...slow.runOptions, signal: stop.signal });
    const whole = ok({ deletedCount: 3, errors: [] });
    expect(await Promise.all([first, second])).toEqual([whole, whole]);
    stop.abort();
    await running;
  } finally {
    await slow.close();
  }
});

test('the same ids in any order join, and count once although some are deleted by then', async () => {
  const ids = await addMany(3, 'a');
  await requested({ by: 'ids', ids });
  const stop = new AbortController();
  await carryOut(stop.signal, { hide: () => stop.abort() });
  const again = request({ by: 'ids', ids: ids.toReversed() });
  expect(await whileCarriedOut(() => again)).toEqual(ok({ deletedCount: 3, errors: [] }));
});

test('a document that is added after the request stays, also if the views show it', async () => {
  const [before] = await addMany(1, 'a');
  await requested(TAG);
  const [after] = await addMany(1, 'a');
  await useCases.project();
  await whileCarriedOut(untilNoneIsOpen);
  expect([await isLive(before!), await isLive(after!)]).toEqual([false, true]);
});

test('tags count as they were at the time of the request', async () => {
  const [loses, gets] = [await useCases.added(['a', 'b']), await useCases.added(['b'])];
  await requested(TAG);
  await useCases.changeTags(loses, ['b']);
  await useCases.changeTags(gets, ['a', 'b']);
  await useCases.project();
  await whileCarriedOut(untilNoneIsOpen);
  expect([await isLive(loses), await isLive(gets)]).toEqual([false, true]);
});

test('the same request after the end of the first is a new bulk deletion', async () => {
  await addMany(2, 'a');
  await useCases.project();
  await whileCarriedOut(async () => {
    expect(await request(TAG)).toEqual(ok({ deletedCount: 2, errors: [] }));
    expect(await request(TAG)).toEqual(ok({ deletedCount: 0, errors: [] }));
  });
});

describe('a tag itself', () => {
  const GONE: Selection = { by: 'tag', tag: 'gone' };
  const tagsOf = async (id: string) => {
    const state = await useCases.documents.load(systemScope(ORGANIZATION), id);
    return state.status === 'live' ? state.tags : state.status;
  };

  test('documents with another tag lose it, those that were added later keep it', async () => {
    const [sole, shared] = [await useCases.added(['gone']), await useCases.added(['b', 'gone', 'c'])];
    await useCases.project();
    await requested(GONE);
    const [later, tagged] = [await useCases.added(['gone']), await useCases.added(['b'])];
    await useCases.changeTags(tagged, ['b', 'gone']);
    await useCases.project();
    await whileCarriedOut(untilNoneIsOpen);
    expect(await tagsOf(sole)).toBe('deleted');
    expect(await tagsOf(shared)).toEqual(['b', 'c']);
    expect([await tagsOf(later), await tagsOf(tagged)]).toEqual([['gone'], ['b', 'gone']]);
  });

  test('what was set on it is erased after the documents, also if the process ends in between', async () => {
    const [id] = await addMany(1, 'gone');
    await useCases.project();
    const asked = request(GONE);
    const crash = new AbortController();
    const erased: unknown[] = [];
    const eraseValues: RunOptions['eraseValues'] = async ({ by, tags }) => {
      erased.push({ by, tags, isLive: await isLive(id!) });
      if (erased.length > 1) return;
      crash.abort();
      throw new Error('the process ends');
    };
    await until(
      () => useCases.deletionLog.open(),
      ({ length }) => length > 0,
    );
    await carryOut(crash.signal, { eraseValues });
    expect(await useCases.deletionLog.open()).toHaveLength(1);
    const again = new AbortController();
    const running = carryOut(again.signal, { eraseValues });
    expect(await asked).toEqual(ok({ deletedCount: 1, errors: [] }));
    again.abort();
    await running;
    const once = { by: 'tag', tags: ['gone'], isLive: false };
    expect(erased).toEqual([once, once]);
  });
});
