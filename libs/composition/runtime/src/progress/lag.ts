import type { Clock } from '#platform/kernel';
import type { EventStore } from '#ports/event-store';
import type { ViewsReader } from '#read-side/views';

export interface LagOptions {
  readonly store: Pick<EventStore, 'readAll'>;
  readonly reader: Pick<ViewsReader, 'checkpoint'>;
  readonly clock: Clock;
}

/** Returns the age of the oldest event that the views do not show; 0 if they show all. Reads one event. */
export async function projectionLagSeconds({ store, reader, clock }: LagOptions): Promise<number> {
  const after = await reader.checkpoint();
  const { events } = await store.readAll({ after, limit: 1, envelopesOnly: true });
  const [next] = events;
  return next === undefined ? 0 : Math.max(0, clock.now() - Date.parse(next.envelope.at)) / 1_000;
}
