import type { OrganizationId } from '#platform/kernel';
import type { ChainResult, EventStore, NewEvent } from '#ports/event-store';
import { TagLocks, withTagLocks } from './tag-locks.ts';

const WRITES = new Set(['DocumentAdded', 'DetailsChanged', 'MessagesReceived', 'ContentAppended', 'ContentReplaced']);

const event = (type: string, tags: readonly string[], correlationId = 'request'): NewEvent => ({
  envelope: {
    ...{ id: `${type} ${tags}`, type, schemaVersion: 1, at: '2026-01-02T03:04:05.678Z', tags, actor: 'system' },
    ...{ organization: 'org' as OrganizationId, correlationId, causationId: null },
  },
  payload: null,
});

const chain = (stream: string, ...events: NewEvent[]) => [{ stream, events, expected: 'no-stream' as const }];

test('of several appends, those that write to the source of a running merge fail and the others are made', async () => {
  const made: string[] = [];
  const appendTogether: EventStore['appendTogether'] = async (chains) => {
    made.push(...chains.flat().map(({ stream }) => stream));
    return chains.map(() => ({ ok: true, appended: [] }));
  };
  const locks = new TagLocks(WRITES);
  locks.observe(event('TagMergeStarted', ['target', 'source'], 'merge').envelope);
  const results = await withTagLocks({ appendTogether } as EventStore, locks).appendTogether([
    chain('a', event('DocumentAdded', ['target'])),
    chain('b', event('DocumentAdded', ['other', 'source'])),
    chain('c', event('DocumentAdded', ['target']), event('MessagesReceived', ['source'])),
    chain('d', event('DocumentDeleted', ['source'])),
    chain('e', event('DetailsChanged', ['source'], 'merge')),
  ]);
  expect(made).toEqual(['a', 'd', 'e']);
  expect(results.map(({ ok }) => ok)).toEqual([true, false, false, true, true]);
  expect(results[1]).toEqual({ ok: false, conflict: null, error: expect.objectContaining({ code: 'tag_merging' }) });
});

test('a merge can wait for appends that have passed the check before it', async () => {
  const appending = Promise.withResolvers<readonly ChainResult[]>();
  const locks = new TagLocks(WRITES);
  const store = withTagLocks({ appendTogether: () => appending.promise } as unknown as EventStore, locks);
  const appended = store.appendTogether([chain('a', event('DocumentAdded', ['source']))]);
  const order: string[] = [];
  const { signal } = new AbortController();
  const settled = locks.settled(signal).then(() => order.push('settled'));
  await Promise.resolve();
  order.push('appended');
  appending.resolve([{ ok: true, appended: [] }]);
  await appended;
  await settled;
  expect(order).toEqual(['appended', 'settled']);
  await locks.settled(signal);
});

test('a write that was permitted is refused if a merge starts before it is sent', async () => {
  const locks = new TagLocks(WRITES);
  const sent: string[] = [];
  // As an engine that sends one append after the other.
  const appendTogether: EventStore['appendTogether'] = async (chains, { admit } = {}) => {
    const results: ChainResult[] = [];
    for (const { stream, events } of chains.flat()) {
      const error = admit?.(events) ?? null;
      results.push(error === null ? { ok: true, appended: [] } : { ok: false, conflict: null, error });
      if (error === null) sent.push(stream);
      locks.observe(event('TagMergeStarted', ['target', 'source'], 'merge').envelope);
    }
    return results;
  };
  const append: EventStore['append'] = async (_stream, events, { admit }) => {
    locks.observe(event('TagMergeStarted', ['target', 'other'], 'another').envelope);
    throw admit?.(events);
  };
  const store = withTagLocks({ append, appendTogether } as EventStore, locks);
  const results = await store.appendTogether(
    ['a', 'b', 'c'].map((stream) => chain(stream, event('DocumentAdded', [stream === 'c' ? 'target' : 'source']))),
  );
  expect(sent).toEqual(['a', 'c']);
  expect(results[1]).toMatchObject({ ok: false, error: { code: 'tag_merging' } });
  await expect(store.append('d', [event('DocumentAdded', ['other'])], { expected: 'no-stream' })).rejects.toMatchObject(
    {
      code: 'tag_merging',
    },
  );
});

test('waiting for appends ends when the process stops, also if an engine does not answer', async () => {
  const locks = new TagLocks(WRITES);
  const append = () => new Promise<never>(() => undefined);
  const store = withTagLocks({ append } as unknown as EventStore, locks);
  void store.append('a', [event('DocumentAdded', ['source'])], { expected: 'no-stream' });
  const stop = new AbortController();
  const settled = locks.settled(stop.signal);
  stop.abort(new Error('stopped'));
  await expect(settled).rejects.toThrow('stopped');
  await expect(locks.settled(stop.signal)).rejects.toThrow('stopped');
});
