import type { NatsFeedOptions } from './adapters/nats/nats-feed.ts';

export type { NatsFeedOptions } from './adapters/nats/nats-feed.ts';
export { EVENT_FEED, type EventFeed, type FeedBatch, LogFeed } from './log-feed.ts';
export { positionInLog } from './position-in-log.ts';
export { cursorOf, publicEvent } from './public-event.ts';

/**
 * Publishes the public events of the log to NATS JetStream, in order and without gaps, until the signal aborts. Resumes
 * behind the last event in the stream, and retries without limit. Two concurrent publishers do not duplicate events. The
 * first call loads the driver.
 */
export async function publishFeed(options: NatsFeedOptions): Promise<void> {
  const { NatsFeed } = await import('./adapters/nats/nats-feed.ts');
  await new NatsFeed(options).run();
}
