import { Query } from '@nestjs/cqrs';
import type { SecretName, Settings } from '#features/settings';
import type { Principal } from '#platform/kernel';

/** Settings without their secrets. */
export interface SettingsView {
  readonly settings: Settings;
  /** Names of the secrets that are set; their values are never returned. */
  readonly secrets: readonly SecretName[];
}

export class GetSettings extends Query<SettingsView> {
  constructor(readonly principal: Principal) {
    super();
  }
}
