import type { NatsFeedOptions } from './adapters/nats/nats-feed.ts';

export type { NatsFeedOptions } from './adapters/nats/nats-feed.ts';
export { EVENT_FEED, type EventFeed, LogFeed } from './log-feed.ts';
export { PUBLIC_CATEGORIES, placeOf, publicEvent } from './public-event.ts';

/**
 * Publishes the public events of the log to NATS JetStream, in their order and without gaps, until the signal aborts. It
 * goes on behind the last event that the stream holds, whoever published it, and tries for ever. Meant to run once; a
 * second one at the same time doubles nothing. The driver is loaded here.
 */
export async function publishFeed(options: NatsFeedOptions): Promise<void> {
  const { NatsFeed } = await import('./adapters/nats/nats-feed.ts');
  await new NatsFeed(options).run();
}
