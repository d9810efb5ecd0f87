import { Query } from '@nestjs/cqrs';
import type { SettingsBucket } from '#features/settings';
import type { Principal, Result } from '#platform/kernel';

/** `no_prompt`: neither filterPrompt nor workspacePrompt is set. */
export type SuggestionRefusal = 'no_prompt';

/** Suggests groups for profiles. They are fixed: no language model is asked. */
export class SuggestBuckets extends Query<Result<readonly SettingsBucket[], SuggestionRefusal>> {
  constructor(readonly principal: Principal) {
    super();
  }
}
