export { NatsSecrets } from './adapters/nats/nats-secrets.ts';
export { SqliteSecrets } from './adapters/sqlite/sqlite-secrets.ts';
export { Seals } from './seals.ts';
export { Secrets } from './secrets.ts';
