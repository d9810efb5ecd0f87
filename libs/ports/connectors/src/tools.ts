import type { Config } from '#platform/config';
import type { ProviderAccess } from '#platform/fetch';
import type { Clock } from '#platform/kernel';

/** What a connector is made with. */
export interface ConnectorTools {
  readonly config: Config;
  /**
   * Opens a function in the shape of the global `fetch`, the way to the provider for its connector and its client library.
   * It throws FetchRefusedError and FetchFailedError; answers with any status are returned.
   */
  readonly fetch: (provider: ProviderAccess) => typeof globalThis.fetch;
  readonly clock: Clock;
  readonly logger: { warn(message: string, cause?: unknown): void };
}
