export { ChangeSettings, type SettingsRefusal } from './change-settings/change-settings.command.ts';
export { GetSettings, type SettingsView } from './get-settings/get-settings.query.ts';
export { type ResetRefusal, ResetSettings, type ResetTotals } from './reset-settings/reset-settings.command.ts';
export { SettingsModule } from './settings.module.ts';
export { SuggestBuckets, type SuggestionRefusal } from './suggest-buckets/suggest-buckets.query.ts';
