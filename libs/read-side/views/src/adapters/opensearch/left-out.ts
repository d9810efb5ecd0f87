import type { LeftOutRows } from '../../rows.ts';

/** Record in the meta index: for each stream of which rows of a read model are missing, model, stream and reason as JSON. */
export const LEFT_OUT = 'left-out-rows';

const MOST = 1_000;
/** Characters of a reason. OpenSearch repeats the value that it refuses. */
const LONGEST_REASON = 500;

export const leftOutFrom = (recorded: readonly string[] | null): readonly LeftOutRows[] =>
  (recorded ?? []).map((json) => JSON.parse(json) as LeftOutRows);

export const leftOutRecord = (rows: Iterable<LeftOutRows>): string[] =>
  [...rows]
    .slice(0, MOST)
    .map(({ reason, ...row }) => JSON.stringify({ ...row, reason: reason.slice(0, LONGEST_REASON) }));
