export { ConfigError, describeSettings, loadConfig, readEnvironment } from './config.ts';
export type { Config } from './settings.ts';
export type { SourceEntry } from './source-entries.ts';
export { readVersion } from './version.ts';
