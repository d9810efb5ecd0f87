import { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { INDEX_NAMES } from '../mappings.ts';

/** `mneme doctor` answers soon even if OpenSearch does not. */
const PATIENCE_MS = 3_000;

export interface ViewsInspection {
  /** Of the server. */
  readonly version: string;
  /** Rows of the views. */
  readonly rows: number;
  /** What was deleted or written over and is still to be merged away. */
  readonly deleted: number;
}

/** @throws ViewsUnreachableError */
export async function inspect(connection: Connection, prefix: string): Promise<ViewsInspection> {
  const { version } = await connection.call<{ version: { number: string } }>({ method: 'GET', path: '/' }, PATIENCE_MS);
  const aliases = new Aliases(prefix);
  const paths = INDEX_NAMES.map((name) => aliases.of(name)).join(',');
  const query = { ignore_unavailable: true };
  const stats = await connection.call<{ _all: { primaries: { docs?: { count: number; deleted: number } } } }>(
    { method: 'GET', path: `/${paths}/_stats/docs`, query },
    PATIENCE_MS,
  );
  const { count = 0, deleted = 0 } = stats._all.primaries.docs ?? {};
  return { version: version.number, rows: count, deleted };
}
