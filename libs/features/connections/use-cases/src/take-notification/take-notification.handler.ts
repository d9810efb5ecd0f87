import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ConnectionRepository } from '#features/connections';
import { err, type OrganizationId, ok, type Result } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { Providers } from '../providers.ts';
import { type NotificationRefusal, TakeNotification } from './take-notification.command.ts';

@CommandHandler(TakeNotification)
export class TakeNotificationHandler implements ICommandHandler<TakeNotification> {
  constructor(
    private readonly connections: ConnectionRepository,
    private readonly providers: Providers,
  ) {}

  async execute({ provider, headers }: TakeNotification): Promise<Result<null, NotificationRefusal>> {
    const notified = this.providers.notified(provider, headers);
    if (notified === null) return err('unknown_notification');
    const name = { organization: notified.organization as OrganizationId, id: notified.connection };
    if (!notified.hasChanged) return ok(null);
    const requested = await this.connections.request(name, systemCause(), 'event');
    return requested.ok ? ok(null) : err('unknown_notification');
  }
}
