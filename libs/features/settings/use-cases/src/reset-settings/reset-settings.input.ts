import { IsText, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { ResetSettings } from './reset-settings.command.ts';

/** Confirmation that everything is to be erased. */
@ShownBy({
  'A new installation': { confirmation: 'Mneme' },
})
export class ResetSettingsInput {
  /** Name or slug of the organization. */
  @Required()
  @IsText({ min: 1 })
  confirmation!: string;
}

export const resetSettings = (principal: Principal, { confirmation }: ResetSettingsInput): ResetSettings =>
  new ResetSettings(principal, confirmation);
