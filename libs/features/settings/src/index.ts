export { SECRET_EVENTS, SETTINGS_EVENTS, type SettingsBucket } from './events.ts';
export { SettingsRepository } from './repository.ts';
export { SECRET_NAMES, type SecretName, type Settings } from './state.ts';
