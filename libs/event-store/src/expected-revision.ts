import type { ExpectedRevision } from './port.ts';

/** @param before revision that stands (or would stand) in front of the appended events; -1 counts as no stream */
export function fits(expected: ExpectedRevision, before: number | 'no-stream', actual: number | 'no-stream'): boolean {
  if (expected === 'any') return true;
  if (expected === 'stream-exists') return actual !== 'no-stream';
  if (expected === 'no-stream') return before === 'no-stream' || before === -1;
  return expected === before;
}

/**
 * Whether a call has been stored before: all of its events stand in the stream, in their order, where the expected
 * revision puts them.
 * @param standing those of its events that the stream holds, in the order of the call; at least one
 * @param count how many events the call has
 */
export function isRepeat(
  standing: readonly { readonly revision: number }[],
  count: number,
  expected: ExpectedRevision,
  actual: number | 'no-stream',
): boolean {
  const first = (standing[0] as { readonly revision: number }).revision;
  const inOrder = standing.every((event, i) => event.revision === first + i);
  return standing.length === count && inOrder && fits(expected, first - 1, actual);
}
