import { Command } from '@nestjs/cqrs';
import type { SecretName, Settings } from '#features/settings';
import type { Principal, Result } from '#platform/kernel';

/** `filter_off`: a setting of the filter is sent while the filter is off. */
export type SettingsRefusal = 'filter_off';

export interface ChangedSettings {
  /** Name of the organization. */
  readonly name: string;
}

/** Changes settings and secrets; null clears a value. */
export class ChangeSettings extends Command<Result<ChangedSettings, SettingsRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly changes: Partial<Settings>,
    readonly secrets: Readonly<Partial<Record<SecretName, string | null>>>,
  ) {
    super();
  }
}
