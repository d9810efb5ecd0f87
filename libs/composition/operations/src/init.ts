import { initStreams } from '#composition/runtime';
import type { Config } from '#platform/config';
import type { JsonObject } from '#platform/kernel';

/** Creates the streams on NATS that hold data. Yields a line for each, then the number of new ones. */
export async function* initialize(config: Config): AsyncIterable<JsonObject> {
  let created = 0;
  for await (const { stream, isNew } of initStreams(config)) {
    if (isNew) created += 1;
    yield { stream, state: isNew ? 'created' : 'exists' };
  }
  yield { done: true, created };
}
