export { ConfigError, describeSettings, loadConfig, readEnvironment } from './config.ts';
export type { Config } from './settings.ts';
export { readVersion } from './version.ts';
