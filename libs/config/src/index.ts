export { ConfigError, type Config, describeSettings, loadConfig, readEnvironment } from './config.ts';
