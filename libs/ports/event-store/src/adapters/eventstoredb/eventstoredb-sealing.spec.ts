import { ResourceError } from '#platform/kernel';
import {
  databaseSuite,
  numbers,
  payloads,
  refused,
} from '../../../../../../test/support/eventstoredb/database-suite.ts';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { EventStoreUnreachableError } from '../../errors.ts';
import type { EventStore } from '../../port.ts';
import { event, numbered } from '../../testing.ts';
import { MissingStreamKeyError } from './errors.ts';
import { newSealingKey, seal, unseal } from './sealing.ts';

const SECRET = 'words that only the caller may know';

const suite = databaseSuite();
const keysOf = (name: string) => suite.database.keys.namesOf(name);

describe('sealing', () => {
  it('leaves no payload and no snapshot readable in the database', async () => {
    await suite.store.append(suite.stream, [event('Written', { text: SECRET })], { expected: 'no-stream' });
    await suite.store.saveSnapshot(suite.stream, 0, 'model@1', { text: SECRET });
    expect(await suite.store.loadSnapshot(suite.stream, 'model@1')).toEqual({ revision: 0, state: { text: SECRET } });
    expect(suite.database.server.log.holds(SECRET)).toBe(false);
    expect(suite.database.server.log.holds('correlation')).toBe(true);
  });

  it('binds a payload to its key, its stream and its event', () => {
    const key = newSealingKey();
    const sealed = seal('text', key, 'stream', 'id');
    expect(unseal(sealed, key.secret, 'stream', 'id')).toBe('text');
    expect(() => unseal(sealed, key.secret, 'stream', 'other')).toThrow();
    expect(() => unseal(sealed, key.secret, 'other', 'id')).toThrow();
    expect(() => unseal(sealed, newSealingKey().secret, 'stream', 'id')).toThrow();
    sealed[sealed.length - 1]! ^= 1;
    expect(() => unseal(sealed, key.secret, 'stream', 'id')).toThrow();
  });

  it('accepts two clients that create the first key of a stream concurrently', async () => {
    const visitor = await suite.database.client();
    await Promise.all(
      [suite.store, visitor].map((client, n) => client.append(suite.stream, numbered(1, n), { expected: 'any' })),
    );
    for (const client of [suite.store, visitor, await suite.database.client()]) {
      expect(new Set(payloads((await client.readStream(suite.stream)).events))).toEqual(new Set(numbers(0, 2)));
    }
  });

  it('reports a lost key, and does not treat it as an erasure', async () => {
    await suite.store.append(suite.stream, numbered(1), { expected: 'no-stream' });
    for (const key of keysOf(suite.stream)) suite.database.keys.held.delete(key);
    const visitor = await suite.database.client();
    const [lost] = (await visitor.readStream(suite.stream)).events;
    expect(lost?.envelope.type).toBe('Numbered');
    expect(() => lost?.payload).toThrow(MissingStreamKeyError);
    await visitor.erase(suite.stream);
    expect(payloads((await visitor.readStream(suite.stream)).events)).toEqual([null]);
  });

  it('retries an unreachable key store, and reports a full one', async () => {
    suite.database.keys.fault = new Error('away');
    const appending = suite.store.append(suite.stream, numbered(1), { expected: 'no-stream' });
    await until(() => suite.database.keys.refusals);
    suite.database.keys.fault = null;
    expect(await appending).toMatchObject({ ok: true });

    const impatient = await suite.database.client({ patience: 100 });
    suite.database.keys.fault = new Error('away');
    await expect(impatient.readStream(suite.stream)).rejects.toThrow(EventStoreUnreachableError);
    suite.database.keys.fault = new ResourceError('no_space', 'full');
    await expect(suite.store.append(`${suite.stream}x`, numbered(1), { expected: 'any' })).rejects.toMatchObject({
      name: 'StorageFullError',
      kind: 'transient',
      code: 'no_space',
    });
  });
});

describe('an erasure', () => {
  it('is seen by other clients at once in stream reads, and soon in reads of the whole log', async () => {
    const visitor = await suite.database.client();
    const after = await suite.store.head();
    await suite.store.append(suite.stream, numbered(2), { expected: 'no-stream' });
    expect(payloads((await visitor.readAll({ after, limit: 10 })).events)).toEqual(numbers(0, 2));
    await suite.store.erase(suite.stream);
    expect(await visitor.readStream(suite.stream)).toMatchObject({ erased: true });
    expect(payloads((await visitor.readStream(suite.stream)).events)).toEqual([null, null]);

    const third = await suite.database.client();
    expect(payloads((await third.readAll({ after, limit: 10 })).events)).toEqual([null, null]);
    await until(async () =>
      (await visitor.readAll({ after, limit: 10 })).events.every(({ payload }) => payload === null),
    );
  });

  it('reaches a client that only reads the whole log', async () => {
    const visitor = await suite.database.client();
    const after = await suite.store.head();
    await suite.store.append(suite.stream, numbered(2), { expected: 'no-stream' });
    const read = async () => payloads((await visitor.readAll({ after, limit: 10 })).events);
    expect(await read()).toEqual(numbers(0, 2));
    await suite.store.erase(suite.stream);
    await until(async () => (await read()).every((payload) => payload === null));
  });

  it('reaches a client that was disconnected', async () => {
    const visitor = await suite.database.client();
    const after = await suite.store.head();
    await suite.store.append(suite.stream, numbered(2), { expected: 'no-stream' });
    await visitor.readStream(suite.stream);
    await suite.database.server.stop();
    await refused(suite.database.server.port);
    await suite.database.server.start();
    const eraser = await suite.database.client();
    await eraser.erase(suite.stream);
    expect(payloads((await visitor.readAll({ after, limit: 10 })).events)).toEqual([null, null]);
  });

  it('applies to events that another client seals with a cached key', async () => {
    const visitor = await suite.database.client();
    await visitor.append(suite.stream, [event('Written', { text: SECRET })], { expected: 'no-stream' });
    await suite.store.erase(suite.stream);
    const late = await visitor.append(suite.stream, [event('Late', { text: SECRET })], { expected: 0 });
    expect(late).toMatchObject({ ok: true, erased: true });
    expect(payloads((await (await suite.database.client()).readStream(suite.stream)).events)).toEqual([null, null]);
    expect(keysOf(suite.stream)).toEqual([]);
  });

  it('is seen by a client that appends before it is notified', async () => {
    const visitor = await suite.database.client();
    await visitor.append(suite.stream, [event('Written', { text: SECRET })], { expected: 'no-stream' });
    const release = suite.database.server.holdSubscriptions();
    try {
      await suite.store.erase(suite.stream);
      const late = await visitor.append(suite.stream, [event('Late', { text: SECRET })], { expected: 0 });
      expect(late).toMatchObject({ ok: true, erased: true });
    } finally {
      release();
    }
    expect(payloads((await visitor.readStream(suite.stream)).events)).toEqual([null, null]);
    expect(keysOf(suite.stream)).toEqual([]);
  });

  it('destroys every key, concurrent appends included', async () => {
    const clients = [suite.store, await suite.database.client(), await suite.database.client()];
    for (let round = 0; round < 10; round++) {
      const name = `${suite.stream}r${round}`;
      await suite.store.append(name, numbered(1), { expected: 'no-stream' });
      await Promise.all([
        ...clients.map((client) => client.append(name, [event('Written', { text: SECRET })], { expected: 'any' })),
        (round % 2 ? suite.store : (clients[1] as EventStore)).erase(name),
        ...clients.map((client) => client.saveSnapshot(name, 0, 'model@1', { text: SECRET })),
      ]);
      const slice = await (clients[2] as EventStore).readStream(name);
      expect(slice).toMatchObject({ erased: true, revision: 3 });
      expect(payloads(slice.events)).toEqual([null, null, null, null]);
      expect(await (clients[2] as EventStore).loadSnapshot(name, 'model@1')).toBeNull();
      expect(keysOf(name)).toEqual([]);
    }
  });

  it('that was interrupted after its event is finished by the next reader of the stream', async () => {
    await suite.store.append(suite.stream, [event('Written', { text: SECRET })], { expected: 'no-stream' });
    await suite.store.saveSnapshot(suite.stream, 0, 'model@1', { text: SECRET });
    const dying = await suite.database.client({ patience: 0 });
    suite.database.server.cutNextAppends('after');
    await expect(dying.append(suite.stream, [event('Deleted')], { expected: 0, erase: true })).rejects.toThrow(
      EventStoreUnreachableError,
    );
    await dying.close();
    expect(keysOf(suite.stream)).not.toEqual([]);

    const next = await suite.database.client();
    const { events, erased } = await next.readStream(suite.stream);
    expect([payloads(events), erased]).toEqual([[null, null], true]);
    expect(await next.loadSnapshot(suite.stream, 'model@1')).toBeNull();
    expect(keysOf(suite.stream)).toEqual([]);
  });

  it('that could not destroy the keys is finished by a repeated call', async () => {
    const impatient = await suite.database.client({ patience: 100 });
    await impatient.append(suite.stream, [event('Written', { text: SECRET })], { expected: 'no-stream' });
    const last = event('Deleted');
    suite.database.keys.fault = new Error('away');
    const deleting = () => impatient.append(suite.stream, [last], { expected: 0, erase: true });
    await expect(deleting()).rejects.toThrow(EventStoreUnreachableError);
    expect((await impatient.readStream(suite.stream)).erased).toBe(true);
    suite.database.keys.fault = null;
    expect(await deleting()).toMatchObject({ ok: true, revision: 1, erased: true });
    expect(keysOf(suite.stream)).toEqual([]);
  });
});
