export type { ConnectionOptions } from './admitted-connection.ts';
export { FILE_BYTES, PAGE_BYTES } from './body.ts';
export { FetchFailedError, FetchRefusedError } from './errors.ts';
export { type GuardedFetchOptions, openGuardedFetch, type ProviderAccess } from './guarded-fetch.ts';
export { type FetchOptions, openFetch } from './open-fetch.ts';
export { pauseOf } from './pause.ts';
export { type AllowRule, allowRuleFor } from './policy.ts';
export type { Fetch, FetchRequest } from './port.ts';
export { openRelay, type Relay, type RelayedAnswer, type RelayedRequest } from './relay.ts';
