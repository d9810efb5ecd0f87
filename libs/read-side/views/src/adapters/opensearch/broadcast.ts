import type { Connection } from './connection.ts';
import { ViewsUnreachableError } from './errors.ts';

interface BroadcastOptions {
  readonly query?: Readonly<Record<string, boolean>>;
  /** Milliseconds. */
  readonly timeout: number;
}

/**
 * Has every copy of an index do something, e.g. `/units/_refresh`. OpenSearch passes over shards that have no copy at
 * present, without an error.
 * @throws ViewsUnreachableError if a copy fails, or there is none
 */
export async function onEveryCopy(
  connection: Connection,
  path: string,
  { query = {}, timeout }: BroadcastOptions,
): Promise<void> {
  const { _shards } = await connection.call<{ _shards: { readonly failed: number; readonly successful: number } }>(
    { method: 'POST', path, query },
    timeout,
  );
  if (_shards.failed > 0 || _shards.successful === 0) {
    throw new ViewsUnreachableError(`OpenSearch did not execute ${path} on every copy`);
  }
}
