import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Organizations } from '#features/access';
import { type SecretName, SettingsRepository } from '#features/settings';
import { actorOf, ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { type ChangedSettings, ChangeSettings, type SettingsRefusal } from './change-settings.command.ts';

@CommandHandler(ChangeSettings)
export class ChangeSettingsHandler implements ICommandHandler<ChangeSettings> {
  constructor(
    private readonly settings: SettingsRepository,
    private readonly organizations: Organizations,
  ) {}

  async execute({ principal, changes, secrets }: ChangeSettings): Promise<Result<ChangedSettings, SettingsRefusal>> {
    const { organization } = principal;
    const cause = requestCause(actorOf(principal));
    // A request that is refused changes nothing.
    if (Object.values(secrets).some((value) => value !== null)) await this.settings.assertKeepsSecrets();
    const changed = await this.settings.change(organization, cause, changes);
    if (!changed.ok) return changed;
    for (const [name, value] of Object.entries(secrets)) {
      await this.settings.setSecret(organization, name as SecretName, value, cause);
    }
    return ok({ name: await this.organizations.nameOf(organization) });
  }
}
