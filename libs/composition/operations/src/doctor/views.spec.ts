import { isoTime } from '#platform/kernel';
import type { EventStore } from '#ports/event-store';
import type { DoctorContext } from './check.ts';
import { views } from './views.ts';

/**
 * What `doctor` says when a server runs and its views lack an event of this age. Null: they lack none.
 * @param isHeld whether the log holds the event of their checkpoint
 */
async function checked(ageMs: number | null, isHeld = true) {
  const events = ageMs === null ? [] : [{ envelope: { at: isoTime(Date.now() - ageMs) } }];
  const readAll = async () => ({ events, position: null, end: true });
  const store = { readAll, holds: async () => isHeld } as unknown as EventStore;
  const context = {
    engines: {
      files: { views: '/nowhere' },
      store: { opened: store },
      reader: { opened: { checkpoint: async () => '7-event' } },
    },
    config: { openSearchUrl: null },
    server: {},
  } as unknown as DoctorContext;
  return views.run(context, { versions: {}, openSearch: null });
}

test.each([null, 5_000, 300_000])('views that lack an event of %p milliseconds are in order', async (ageMs) => {
  expect(await checked(ageMs)).toMatchObject({ state: 'ok' });
});

test('views that have lacked an event for minutes are a warning that names the event and where the reason is', async () => {
  expect(await checked(600_000)).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/1 events behind, the first of them of \d{4}-/),
    advice: expect.stringContaining('the log of the server'),
  });
});

test('views that follow from events of another log fail', async () => {
  expect(await checked(null, false)).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('follow from events that the event log does not hold'),
  });
});
