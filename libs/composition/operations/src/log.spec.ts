import type { EventStore, Position } from '#ports/event-store';
import { positionOf } from './log.ts';

/** A log whose events are at 100 and 200. */
const store = {
  storeId: 'log-1',
  parsePosition: (text: string) => (/^\d+$/.test(text) ? (text as Position) : null),
  holds: async (position: Position) => ['0', '100', '200'].includes(position),
} as unknown as EventStore;

test.each(['100', 'log-1:100', 'log-1:0'])('%s is a position of the log', async (text) => {
  expect(await positionOf(store, text)).toBe(text.replace('log-1:', ''));
});

test.each([
  ['not that of an event', 'log-1:150'],
  ['of another log', 'log-2:100'],
  ['a word', 'yesterday'],
])('a position that is %s is refused with a sentence', async (_, text) => {
  await expect(positionOf(store, text)).rejects.toMatchObject({
    name: 'OperatorError',
    message: expect.stringMatching(new RegExp(`^${text} is not the position of an event of this log\\. Take one that`)),
  });
});
