import type { Position } from '#ports/event-store';
import type { ViewsState } from '#read-side/views';
import { PolledProgress } from './polled.ts';

const at = (place: number) => String(place) as Position;
const compare = (a: Position, b: Position) => Number(a) - Number(b);

/** Views whose checkpoint a test moves; counts how often they were asked. */
function views() {
  const state = { place: 0, asked: 0, fault: false, beyond: null as ViewsState['beyond'] };
  const progress = new PolledProgress({
    compare,
    everyMs: 1,
    ask: async () => {
      state.asked += 1;
      if (state.fault) throw new Error('gone');
      return { checkpoint: at(state.place), beyond: state.beyond };
    },
  });
  return { state, progress };
}

test('it resolves when the views have got there, for each who waits at its own time', async () => {
  const { state, progress } = views();
  const order: string[] = [];
  const near = progress.reached(at(1), 10_000).then((reached) => order.push(`near ${reached}`));
  const far = progress.reached(at(2), 10_000).then((reached) => order.push(`far ${reached}`));
  state.place = 1;
  await near;
  state.place = 2;
  await far;
  expect(order).toEqual(['near true', 'far true']);
});

test('polls only while a call waits, one question at a time', async () => {
  const { state, progress } = views();
  expect(await progress.reached(null, 10_000)).toBe(true);
  expect(state.asked).toBe(0);
  state.place = 5;
  expect(await Promise.all([progress.reached(at(5), 10_000), progress.reached(at(4), 10_000)])).toEqual([true, true]);
  expect(state.asked).toBe(1);
});

test('it gives up in time, and asks no further', async () => {
  const { state, progress } = views();
  expect(await progress.reached(at(1), 20)).toBe(false);
  const { asked } = state;
  expect(asked).toBeGreaterThan(0);
  // One question may have been under way; then there are no more.
  expect(await progress.reached(at(1), 0)).toBe(false);
  expect(state.asked).toBeLessThanOrEqual(asked + 2);
});

test('close() ends pending waits with false and stops polling', async () => {
  const { state, progress } = views();
  const reached = progress.reached(at(1), 60_000);
  progress.close();
  expect(await reached).toBe(false);
  const { asked } = state;
  // A window for further questions: nothing tells that there will be none.
  await new Promise((next) => setTimeout(next, 20));
  expect(state.asked).toBe(asked);
});

test('views that cannot be asked are not there yet, and are asked again', async () => {
  const { state, progress } = views();
  state.fault = true;
  expect(await progress.reached(at(1), 0)).toBe(false);
  const reached = progress.reached(at(1), 10_000);
  state.fault = false;
  state.place = 1;
  expect(await reached).toBe(true);
});

test('units that are missing behind the checkpoint are waited for only by those who name their document, or all', async () => {
  const { state, progress } = views();
  const [late, other] = ['late', 'other'].map((id) => ({ organization: 'o', id }));
  state.beyond = { position: at(5), lacks: (one) => one === 'any' || one.id === 'late' };
  expect(await progress.reached(at(5), 10_000)).toBe(true);
  expect(await progress.reached(at(5), 10_000, other)).toBe(true);
  expect(await progress.reached(at(6), 0)).toBe(false);
  expect(await progress.reached(at(5), 0, 'all')).toBe(false);
  const waiting = progress.reached(at(5), 10_000, late);
  expect(await progress.reached(at(5), 0, late)).toBe(false);
  // The checkpoint passes what was late: nothing is missing any more, whatever the record says.
  state.place = 5;
  expect(await waiting).toBe(true);
  expect(await progress.reached(at(5), 0, 'all')).toBe(true);
});
