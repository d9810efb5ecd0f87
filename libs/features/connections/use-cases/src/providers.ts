import { Inject, Injectable } from '@nestjs/common';
import { invalid } from '#platform/input';
import { type JsonObject, mnemeError } from '#platform/kernel';
import type { Connector, NotificationHeaders, Notified } from '#ports/connectors';

/** Key by which use cases ask for the kinds of sources. */
export const CONNECTORS_BY_PROVIDER = Symbol('connectors by provider');

/** The provider cannot be used here; the message says why. */
export class ProviderUnavailableError extends mnemeError('permanent', 'provider_unavailable') {}

/** Providers that the API names and this program cannot read. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['notion', 'google-drive', 'onedrive', 'gmail', 'github', 'web-crawler', 's3', 'granola', 'folder', 'rclone'],
]);

/** The kinds of sources, by the names of their providers. */
@Injectable()
export class Providers {
  constructor(@Inject(CONNECTORS_BY_PROVIDER) private readonly connectors: ReadonlyMap<string, Connector>) {}

  /** @throws InputError for a name that is none */
  assertKnown(provider: string): void {
    if (!this.connectors.has(provider) && !OTHERS.has(provider)) {
      throw invalid('provider', `The provider must be one of ${[...OTHERS].join(', ')}`);
    }
  }

  /** @throws InputError as `assertKnown`; ProviderUnavailableError if it cannot be used here */
  usable(provider: string): Connector {
    this.assertKnown(provider);
    const connector = this.connectors.get(provider);
    if (connector === undefined) throw new ProviderUnavailableError(`This server cannot read ${provider}`);
    if (connector.missing !== null) throw new ProviderUnavailableError(connector.missing);
    return connector;
  }

  /** What a notification of a provider tells. Null: nothing that is known here. */
  notified(provider: string, headers: NotificationHeaders): Notified | null {
    return this.connectors.get(provider)?.notified?.(headers) ?? null;
  }

  /** Whether there is something to read yet: of some sources a person chooses it. */
  isChosen(provider: string, setup: JsonObject): boolean {
    return this.connectors.get(provider)?.isChosen?.(setup) ?? true;
  }
}
