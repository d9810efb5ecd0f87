import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, type OrganizationId } from '#platform/kernel';
import { type EventStore, type NewEvent, SqliteEventStore } from '#ports/event-store';
import { appendHistory } from './append-history.ts';

const STREAM = 'document-org_a';
const eventOf = (type: string, payload: NewEvent['payload']): NewEvent => ({
  envelope: {
    ...{ id: newId(), type, schemaVersion: 1, at: '2026-01-02T03:04:05.678Z', organization: 'org' as OrganizationId },
    ...{ tags: [], actor: 'system', correlationId: 'c', causationId: null },
  },
  payload,
});
const history = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, i) => eventOf('DetailsChanged', { metadata: { i } }));

let folder: string;
let store: SqliteEventStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-history-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const idsIn = async (stream: string) => (await store.readStream(stream)).events.map(({ envelope }) => envelope.id);

/** An engine without transactions, on which a stage records something after each append to a stream. */
const interrupted = (started: NewEvent[]): EventStore =>
  new Proxy<EventStore>(store, {
    get(target, name) {
      if (name !== 'appendTogether') return Reflect.get(target, name).bind(target);
      return async ([chain = []]: Parameters<EventStore['appendTogether']>[0]) => {
        const recorded = [];
        for (const { stream, events, expected } of chain) {
          const appended = await target.append(stream, events, { expected });
          if (!appended.ok) return [{ ok: false, conflict: stream, error: null }];
          recorded.push(appended);
          const [stage] = started.splice(0, 1);
          if (stage) await target.append(stream, [stage], { expected: 'any' });
        }
        return [{ ok: true, appended: recorded }];
      };
    },
  });

test('a history of many events is recorded whole', async () => {
  const events = history(40);
  expect(await appendHistory(store, `${STREAM}1`, events)).toBe(true);
  expect(await idsIn(`${STREAM}1`)).toEqual(events.map(({ envelope }) => envelope.id));
  expect(await appendHistory(store, `${STREAM}1`, history(40))).toBe(false);
});

test('events of stages that begin in between do not prevent the rest', async () => {
  const events = history(40);
  const stages = [eventOf('StageStarted', null), eventOf('StageStarted', null)];
  const isStage = new Set(stages.map(({ envelope }) => envelope.id));
  const stream = `${STREAM}${newId()}`;
  expect(await appendHistory(interrupted(stages), stream, events)).toBe(true);
  const ids = (await idsIn(stream)).filter((id) => !isStage.has(id));
  expect(ids).toEqual(events.map(({ envelope }) => envelope.id));
});
