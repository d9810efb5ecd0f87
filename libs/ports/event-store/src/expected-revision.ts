import type { ExpectedRevision } from './port.ts';

/** @param before revision before the appended events; -1 counts as no stream */
export function fits(expected: ExpectedRevision, before: number | 'no-stream', actual: number | 'no-stream'): boolean {
  if (expected === 'any') return true;
  if (expected === 'stream-exists') return actual !== 'no-stream';
  if (expected === 'no-stream') return before === 'no-stream' || before === -1;
  return expected === before;
}

/**
 * Whether a call has been stored before: the stream holds all of its events, in their order, at the expected revision.
 * @param stored those events of the call that the stream holds, in the order of the call; at least one
 * @param count number of events in the call
 */
export function isRepeat(
  stored: readonly { readonly revision: number }[],
  count: number,
  expected: ExpectedRevision,
  actual: number | 'no-stream',
): boolean {
  const first = (stored[0] as { readonly revision: number }).revision;
  const inOrder = stored.every((event, i) => event.revision === first + i);
  return stored.length === count && inOrder && fits(expected, first - 1, actual);
}
