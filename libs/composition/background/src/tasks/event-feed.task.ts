import { layoutOf } from '#composition/runtime';
import { publishFeed } from '#ports/event-feed';
import type { LeasedTask } from '../leased-task.ts';

/** Publishes events on NATS. */
export const eventFeed: LeasedTask = {
  name: 'event-feed',
  isNeeded: ({ storage }) => storage.nats !== null,
  async run({ parts, clock, logger }, { signal }) {
    const { nats: connection, store, settings } = parts.storage;
    if (connection === null) return;
    const { prefix } = settings;
    await publishFeed({ connection, store, clock, logger, prefix, layout: layoutOf(settings, 'events'), signal });
  },
};
