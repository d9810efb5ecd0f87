import { BEGINNING, LiveLog, type LiveLog as Log } from './live-log.ts';
import { LogEntry } from './log-entry.ts';

/** @param revision default: 0 */
function entry(position: number, stream = `document-${position}`, revision = 0): LogEntry {
  return new LogEntry({
    ...{ stream, revision, position, id: `${position}`, type: 'Numbered', isJson: false },
    ...{ data: '', metadata: '{}' },
  });
}

const all = () => true;
const none = () => false;
const NEVER = new AbortController().signal;
const positions = (log: Log, after: number, limit = 10) => {
  const taken = log.take(after, all, limit);
  return taken && { ...taken, entries: taken.entries.map(({ position }) => position) };
};

/** Whether a reader that has examined everything up to `after` goes on sleeping, and from where it goes on. */
async function settled(reader: Promise<number>): Promise<number | 'asleep'> {
  // Readers are woken by a shorter timer, which therefore fires first.
  const asleep = new Promise<'asleep'>((resolve) => setTimeout(resolve, 20, 'asleep'));
  return Promise.race([reader, asleep]);
}

it('gives each reader what is behind its position, in order, up to a limit', () => {
  const log = new LiveLog();
  log.start(10);
  for (const position of [20, 30, 40]) log.push(entry(position));
  expect(positions(log, 10, 2)).toEqual({ entries: [20, 30], position: 30, end: false });
  expect(positions(log, 30, 2)).toEqual({ entries: [40], position: 40, end: true });
  expect(positions(log, 40)).toEqual({ entries: [], position: 40, end: true });
  expect(positions(log, 50)).toEqual({ entries: [], position: 50, end: true });
  expect(log.take(10, ({ position }) => position === 30, 1)).toMatchObject({ position: 40, end: true });
});

it('ignores what it has already', () => {
  const log = new LiveLog();
  log.start(BEGINNING);
  for (const position of [0, 20, 20, 0, 30]) log.push(entry(position));
  expect(positions(log, BEGINNING)?.entries).toEqual([0, 20, 30]);
});

it('sends a reader to the server that is before its first entry, or while it has no subscription', () => {
  const log = new LiveLog();
  log.push(entry(1));
  expect(positions(log, 5)).toBeNull();
  log.start(10);
  expect(positions(log, 9)).toBeNull();
  expect(positions(log, 10)).not.toBeNull();
  log.stop();
  log.push(entry(20));
  expect(positions(log, 10)).toBeNull();
  log.start(30);
  expect([positions(log, 10), positions(log, 30)?.entries]).toEqual([null, []]);
});

it('keeps the newest entries within its memory', () => {
  const log = new LiveLog(12_500);
  log.start(0);
  for (let position = 1; position <= 1_000; position++) log.push(entry(position));
  expect(positions(log, 900)).toBeNull();
  const first = Array.from({ length: 1_000 }, (_, after) => after).find((after) => positions(log, after)) as number;
  expect(first).toBeGreaterThan(970);
  expect(first).toBeLessThan(980);
  expect(positions(log, first, 100)?.entries).toEqual(Array.from({ length: 1_000 - first }, (_, i) => first + 1 + i));
});

it('wakes a reader for what it wants, and takes it along past the rest, however much that is', async () => {
  const log = new LiveLog(12_500);
  log.start(0);
  const never = log.beyond(0, none, NEVER);
  const some = log.beyond(0, ({ position }) => position === 900, NEVER);
  for (let position = 1; position <= 899; position++) log.push(entry(position));
  expect(await settled(some)).toBe('asleep');
  for (let position = 900; position <= 905; position++) log.push(entry(position));
  expect(await settled(some)).toBe(899);
  expect(positions(log, 899, 1)?.entries).toEqual([900]);
  expect(await settled(never)).toBe('asleep');
});

it('wakes a reader after an outage, if it may have missed something', async () => {
  const log = new LiveLog();
  log.start(10);
  const [behind, ahead] = [log.beyond(10, all, NEVER), log.beyond(40, all, NEVER)];
  log.stop();
  expect(await settled(behind)).toBe('asleep');
  log.start(30);
  expect(await settled(behind)).toBe(10);
  expect(await settled(ahead)).toBe('asleep');
});

it('a reader does not sleep over what has come since it took', async () => {
  const log = new LiveLog();
  log.start(10);
  log.push(entry(20));
  expect(await settled(log.beyond(10, all, NEVER))).toBe(10);
});

it('shows the events of an append of its client together', async () => {
  const log = new LiveLog();
  log.start(0);
  log.awaitWhole('document-a', 2);
  const reader = log.beyond(0, all, NEVER);
  log.push(entry(1, 'document-a', 0));
  log.push(entry(2, 'document-a', 1));
  expect([positions(log, 0)?.entries, await settled(reader)]).toEqual([[], 'asleep']);
  log.push(entry(3, 'document-a', 2));
  expect([positions(log, 0)?.entries, await settled(reader)]).toEqual([[1, 2, 3], 0]);

  const release = log.awaitWhole('document-a', 5);
  log.push(entry(4, 'document-a', 3));
  expect(positions(log, 3)?.entries).toEqual([]);
  release();
  expect(positions(log, 3)?.entries).toEqual([4]);
});

it('ends readers with their signal, or with an error', async () => {
  const log = new LiveLog();
  const stop = new AbortController();
  const [stopped, ended] = [log.beyond(0, all, stop.signal), log.beyond(0, all, NEVER)];
  stop.abort();
  expect(await stopped).toBe(0);
  log.end(new Error('closed'));
  await expect(ended).rejects.toThrow('closed');
  await expect(log.beyond(0, all, NEVER)).rejects.toThrow('closed');
});
