import { Query } from '@nestjs/cqrs';
import type { SecretName, Settings } from '#features/settings';
import type { OrganizationId } from '#platform/kernel';

/** Settings without their secrets. */
export interface SettingsView {
  readonly settings: Settings;
  /** Names of the secrets that are set; their values are never returned. */
  readonly secrets: readonly SecretName[];
}

export class GetSettings extends Query<SettingsView> {
  readonly organization: OrganizationId;

  constructor(organization: OrganizationId) {
    super();
    this.organization = organization;
  }
}
