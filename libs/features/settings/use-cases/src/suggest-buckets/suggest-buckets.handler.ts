import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type SettingsBucket, SettingsRepository } from '#features/settings';
import { err, ok, type Result } from '#platform/kernel';
import { SuggestBuckets, type SuggestionRefusal } from './suggest-buckets.query.ts';

const SUGGESTIONS: readonly SettingsBucket[] = [
  { key: 'preferences', description: 'What the person likes, dislikes and asks for again and again' },
  { key: 'people', description: 'People in the life and work of the person, and how they are related' },
  { key: 'work', description: 'Role, employer, projects and tools of the person' },
  { key: 'goals', description: 'What the person wants to reach, and by when' },
  { key: 'events', description: 'Appointments, journeys and other dated events' },
];

@QueryHandler(SuggestBuckets)
export class SuggestBucketsHandler implements IQueryHandler<SuggestBuckets> {
  constructor(private readonly settings: SettingsRepository) {}

  async execute({ principal }: SuggestBuckets): Promise<Result<readonly SettingsBucket[], SuggestionRefusal>> {
    const { filterPrompt, workspacePrompt } = await this.settings.load(principal.organization);
    return (filterPrompt ?? workspacePrompt ?? '') === '' ? err('no_prompt') : ok(SUGGESTIONS);
  }
}
