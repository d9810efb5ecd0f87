export type { SettingsRefusal } from './change-settings/change-settings.command.ts';
export {
  ChangeSettingsInput,
  changeSettings,
  SECRET_MASK,
  type SentSettings,
  sentSettings,
} from './change-settings/change-settings.input.ts';
export { GetSettings, type SettingsView } from './get-settings/get-settings.query.ts';
export type { ResetRefusal, ResetTotals } from './reset-settings/reset-settings.command.ts';
export { ResetSettingsInput, resetSettings } from './reset-settings/reset-settings.input.ts';
export { SettingsModule } from './settings.module.ts';
export { SuggestBuckets, type SuggestionRefusal } from './suggest-buckets/suggest-buckets.query.ts';
