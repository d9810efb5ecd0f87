export { CONNECTORS } from './adapters/index.ts';
export type { Authorization, NotificationHeaders, Notified, Permission } from './authorization.ts';
export type {
  ConnectionSecrets,
  Connector,
  ListingPage,
  ReadSetup,
  SetupRefusal,
  Source,
  SourceContent,
  SourceItem,
} from './connector.ts';
export { ItemUnreadableError, SourceBusyError, SourceLostError } from './errors.ts';
export type { Resource, ResourcePage, ResourceRequest, Resources } from './resources.ts';
export type { ConnectorTools } from './tools.ts';
