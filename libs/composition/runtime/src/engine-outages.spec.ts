import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import { EngineOutages, type WatchedEngine } from './engine-outages.ts';

class AwayError extends Error {}

/** An engine that a test takes away. */
function engine(name: string) {
  const state = { isAway: false, asked: 0, lost: (_reason: string) => {} };
  const watched: WatchedEngine = {
    name,
    look: async () => {
      state.asked += 1;
      if (state.isAway) throw new Error('no route to it, as //user:secret@host says');
    },
    mayCause: (error) => error instanceof AwayError,
    onLoss: (lost) => {
      state.lost = lost;
    },
  };
  return { state, watched };
}

let now: number;
let lines: string[];
let outages: EngineOutages;
const logger = { info: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(line) };

function watch(...engines: WatchedEngine[]): void {
  outages = new EngineOutages(engines, { logger, clock: { now: () => now } });
}

beforeEach(() => {
  now = 1_000_000;
  lines = [];
});
afterEach(() => outages.close());

const LOST = 'The log at esdb://host is lost: no route to it, as //host says';
const write = (line: string) => () => void lines.push(line);

test('one line when an engine is lost, one when it is back, and none of what failed because of it', async () => {
  const { state, watched } = engine('The log at esdb://host');
  watch(watched);
  state.isAway = true;
  await until(() => lines.length);
  for (const cause of [new AwayError(), new Error('wrapped', { cause: new AwayError() })])
    outages.gate(cause, write('failed'));
  now += 4_600;
  state.isAway = false;
  await until(() => lines.length === 2);
  outages.gate(new AwayError(), write('late'));
  expect(lines).toEqual([LOST, 'The log at esdb://host is back after 4.6 s']);
});

test('an engine that fails once is not lost', async () => {
  const { state, watched } = engine('The log at esdb://host');
  watch(watched);
  state.isAway = true;
  const before = state.asked;
  await until(() => state.asked > before);
  state.isAway = false;
  await until(() => state.asked > before + 2);
  expect(lines).toEqual([]);
});

test('the first error asks the engine at once', async () => {
  const { state, watched } = engine('The log at esdb://host');
  watch(watched);
  await until(() => state.asked === 1);
  state.isAway = true;
  for (let n = 0; n < 20; n += 1) outages.gate(new AwayError(), write(`failed ${n}`));
  await until(() => lines.length);
  expect(lines).toEqual([LOST]);
});

test('an error that has another cause is written, also if the engine answers', async () => {
  const { state, watched } = engine('The log at esdb://host');
  watch(watched);
  outages.gate(new Error('other'), write('other'));
  outages.gate(undefined, write('none'));
  outages.gate(new AwayError(), write('of one part of the engine'));
  await until(() => lines.length === 3);
  state.isAway = true;
  await until(() => lines.length === 4);
  outages.gate(new Error('other'), write('other again'));
  expect(lines).toEqual(['other', 'none', 'of one part of the engine', LOST, 'other again']);
});

test('a connection that breaks is a loss, also if the engine answers soon again', async () => {
  const { state, watched } = engine('NATS at nats://host');
  watch(watched);
  state.lost('the connection was lost');
  await until(() => lines.length === 2);
  expect(lines).toEqual([
    'NATS at nats://host is lost: the connection was lost',
    'NATS at nats://host is back after 0.0 s',
  ]);
});

test('the line tells for how long the engine had been away before this was known', async () => {
  const { state, watched } = engine('The log at esdb://host');
  watch({ ...watched, lasts: () => 4_000 });
  state.isAway = true;
  await until(() => lines.length);
  now += 1_000;
  state.isAway = false;
  await until(() => lines.length === 2);
  expect(lines[1]).toBe('The log at esdb://host is back after 5.0 s');
});
