export {
  type Config,
  ConfigError,
  describeSettings,
  loadConfig,
  readEnvironment,
  withoutCredentials,
} from './config.ts';
export { readVersion } from './version.ts';
