export { type Config, ConfigError, describeSettings, loadConfig, readEnvironment } from './config.ts';
