import { type RejectedRow, RowRejectedError } from '../../errors.ts';

/** Bytes of a row. OpenSearch takes 104,857,600 in a request, unless `http.max_content_length` says otherwise. */
const MOST_ROW_BYTES = 100_000_000;

/** The document of a row, or the stream of a row of another read model. */
export type RowOwner = Omit<RejectedRow, 'reason'>;

/** @throws RowRejectedError if a row, or a part of it, is too large for OpenSearch */
export function checkRowSize(owner: RowOwner, bytes: number): void {
  if (bytes > MOST_ROW_BYTES) throw tooLarge(owner, bytes, MOST_ROW_BYTES);
}

/** @param limit in bytes. Null: OpenSearch refused the row for its size without naming a limit */
export function tooLarge({ organization, id, model }: RowOwner, bytes: number, limit: number | null): RowRejectedError {
  const takes = limit === null ? 'less than that' : `${inMegabytes(limit)} at the most`;
  const reason = `one row of it has ${inMegabytes(bytes)}, and OpenSearch takes ${takes}; divide it into several documents`;
  return new RowRejectedError([{ organization, id, ...(model !== undefined && { model }), reason }]);
}

/**
 * Returns how many bytes OpenSearch takes at once, if it refused a request because it alone has more: by default a tenth of
 * its heap (`indexing_pressure.memory.limit`). It answers 429 then too, but waiting does not help. Null: no such refusal.
 * @param refusal its reason
 */
export function limitIn(refusal: string): number | null {
  const [, bytes, limit] = /operation_bytes=(\d+), max_\w+_bytes=(\d+)/.exec(refusal) ?? [];
  return Number(bytes) > Number(limit) ? Number(limit) : null;
}

/** Rounded up. */
const inMegabytes = (bytes: number): string => `${(Math.ceil(bytes / 1e5) / 10).toFixed(1)} MB`;
