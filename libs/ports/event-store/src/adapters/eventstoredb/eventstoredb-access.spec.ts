import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { MemoryStreamKeys } from '../../../../../../test/support/eventstoredb/database.ts';
import { payloads } from '../../../../../../test/support/eventstoredb/database-suite.ts';
import { EventStoreDbServer } from '../../../../../../test/support/eventstoredb/server.ts';
import { openEventStoreDb } from '../../eventstoredb.ts';
import { numbered, readWholeLog } from '../../testing.ts';

const USERS = {
  admin: { password: 'changeit', groups: ['$admins'] },
  ops: { password: 'ops', groups: ['$ops'] },
  mneme: { password: 'geheim' },
} as const;

/** A server with users, TLS, and a certificate that only its own authority vouches for. */
let server: EventStoreDbServer;
let administrator: EventStoreDBClient;
const urlOf = (name: keyof typeof USERS, password: string = USERS[name].password) => server.urlFor({ name, password });

beforeEach(async () => {
  server = await EventStoreDbServer.start({ users: USERS });
  administrator = EventStoreDBClient.connectionString(urlOf('admin'));
});
afterEach(async () => {
  await administrator.dispose();
  await server.stop();
});

const mayReadAll = (name: string) => administrator.setStreamMetadata('$all', { acl: { readRoles: ['$admins', name] } });
const open = (url: string) => openEventStoreDb({ url, keys: new MemoryStreamKeys() });

test('a user without groups that may read $all is enough, over TLS with a CA file', async () => {
  await mayReadAll('mneme');
  const store = await open(urlOf('mneme'));
  const stop = new AbortController();
  const subscriber = store.subscribe({ after: null, signal: stop.signal })[Symbol.asyncIterator]();
  const first = subscriber.next();
  await store.append('document-1', numbered(2), { expected: 'no-stream' });
  expect(payloads((await first).value.events)).toEqual([{ n: 0 }, { n: 1 }]);
  await store.saveSnapshot('document-1', 1, 'model@1', { n: 1 });
  expect(await store.loadSnapshot('document-1', 'model@1')).toMatchObject({ state: { n: 1 } });
  await store.erase('document-1');
  expect(payloads(await readWholeLog(store))).toEqual([null, null]);
  stop.abort();
  await store.close();
});

test('a certificate of an unknown authority is refused', async () => {
  const url = server.urlFor({ name: 'mneme', password: 'geheim' }).replace(/&tlsCAFile=.*/, '');
  const opening = openEventStoreDb({ url, keys: new MemoryStreamKeys(), patience: 100 });
  await expect(opening).rejects.toMatchObject({ code: 'event_store_unreachable' });
});

describe('the start ends with a sentence', () => {
  const address = () => `EventStoreDB at esdb://127.0.0.1:${server.port}`;
  const failed = (url: string) => open(url).catch((error: Error) => error);

  test('for a wrong password', async () => {
    expect(await failed(urlOf('mneme', 'falsch'))).toMatchObject({
      code: 'event_store_access_denied',
      message: `${address()} does not know the user 'mneme' or rejects the password: correct MNEME_EVENTSTORE_URL.`,
    });
  });

  test('without a user', async () => {
    expect(await failed(server.urlFor(null))).toMatchObject({
      message: `${address()} wants a user: set MNEME_EVENTSTORE_URL to esdb://user:password@host:2113.`,
    });
  });

  test.each(['mneme', 'ops'] as const)('for a user who may not read $all: %s', async (name) => {
    expect(await failed(urlOf(name))).toMatchObject({
      code: 'event_store_access_denied',
      message:
        `${address()} does not permit the user '${name}' to read $all: as an administrator, run ` +
        `setStreamMetadata('$all', { acl: { readRoles: ['$admins', '${name}'] } }).`,
    });
  });

  test('and nothing was written, so another data folder can start once the right is granted', async () => {
    const before = server.log.all.length;
    await failed(urlOf('mneme'));
    expect(server.log.all).toHaveLength(before);
    await mayReadAll('mneme');
    await (await open(urlOf('mneme'))).close();
  });

  test('for a user who may not write', async () => {
    await mayReadAll('mneme');
    const settings = { $userStreamAcl: { $r: '$all', $w: '$admins', $d: '$admins', $mr: '$all', $mw: '$admins' } };
    await administrator.appendToStream('$settings', jsonEvent({ type: '$settings', data: settings }));
    expect(await failed(urlOf('mneme'))).toMatchObject({
      message:
        `${address()} does not permit the user 'mneme' to write to $$mneme-store: as an administrator, run ` +
        "setStreamMetadata('mneme-store', { acl: { metaWriteRoles: ['$admins', 'mneme'] } }), or permit it for all " +
        'streams in $settings.',
    });
  });
});
