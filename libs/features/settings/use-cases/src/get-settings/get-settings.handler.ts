import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { SettingsRepository } from '#features/settings';
import { GetSettings, type SettingsView } from './get-settings.query.ts';

@QueryHandler(GetSettings)
export class GetSettingsHandler implements IQueryHandler<GetSettings> {
  constructor(private readonly settings: SettingsRepository) {}

  async execute({ principal: { organization } }: GetSettings): Promise<SettingsView> {
    const [settings, secrets] = await Promise.all([
      this.settings.load(organization),
      this.settings.secrets(organization),
    ]);
    return { settings, secrets };
  }
}
