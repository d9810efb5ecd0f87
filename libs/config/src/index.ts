export { ConfigError, describeSettings, loadConfig, readEnvironment, withoutCredentials } from './config.ts';
export type { Config } from './settings.ts';
export { readVersion } from './version.ts';
