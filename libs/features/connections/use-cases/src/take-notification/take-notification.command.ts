import { Command } from '@nestjs/cqrs';
import type { Result } from '#platform/kernel';
import type { NotificationHeaders } from '#ports/connectors';

/** `unknown_notification`: it does not come from a channel that this installation has opened, or the connection is gone. */
export type NotificationRefusal = 'unknown_notification';

/** Has a connection synced, because the provider says that something has changed. */
export class TakeNotification extends Command<Result<null, NotificationRefusal>> {
  constructor(
    readonly provider: string,
    readonly headers: NotificationHeaders,
  ) {
    super();
  }
}
