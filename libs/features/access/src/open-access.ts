import { ConfigError } from '#platform/config';
import { type Clock, contentHash, hashSecret, newId, type OrganizationId } from '#platform/kernel';
import { type EventStore, type NewEvent, type RecordedEvent, record, systemCause } from '#ports/event-store';
import type { IssuedKeys } from './api-keys.ts';
import { decideIssue, KEY_EVENTS } from './key.ts';
import { findOwnerKey, type OwnerKey, saveOwnerKey } from './key-file.ts';
import { readKeyEvents } from './key-log.ts';
import { generateKey } from './keys.ts';
import {
  claimFounding,
  decideFound,
  FOUNDING_STREAM,
  ORGANIZATION_EVENTS,
  organizationStream,
} from './organization.ts';
import { keyStream } from './streams.ts';

export interface AccessOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  /** Gets the keys of the log. */
  readonly keys: IssuedKeys;
  /** The owner key; null: one is generated. */
  readonly apiKey: string | null;
  /** File for a generated key, readable only by its owner. */
  readonly keyFile: string;
}

/**
 * Reads the keys from the log. The first start creates the organization and its owner key.
 * @throws ConfigError for a configured key that was revoked or disabled, or whose organization was deleted
 */
export async function openAccess(options: AccessOptions): Promise<OwnerKey> {
  const { store, apiKey, keys } = options;
  await readKeyEvents(store, keys, null);
  const organization = keys.organizations.first();
  if (apiKey !== null && keys.authenticate(apiKey) !== null) return { kind: 'configured' };
  if (apiKey !== null && keys.isKnown(apiKey)) throw new ConfigError(REFUSED);
  if (apiKey === null && !keys.isEmpty) {
    return (await findOwnerKey(options.keyFile, keys)) ?? { kind: 'removed' };
  }

  if (organization !== null && keys.organizations.stateOf(organization) === 'gone') throw new ConfigError(DELETED);
  const founded = organization ?? (await agreeOnOrganization(options));
  const secret = apiKey ?? generateKey(founded).secret;
  const recording = { organization: founded, cause: systemCause(), tags: [], now: options.clock.now() };
  if (organization === null) {
    await createStream(
      store,
      organizationStream(founded),
      record(ORGANIZATION_EVENTS, decideFound('Mneme'), recording),
    );
  }
  // Before the event: a crash in between must not leave a key whose secret is lost.
  if (apiKey === null) await saveOwnerKey(options.keyFile, secret);
  const hash = hashSecret(secret);
  // Derived from the key, so that processes that start concurrently with the same key issue one.
  const id = contentHash('key', hash).slice(0, 22);
  const key = { id, role: 'owner' as const, name: 'owner', hash };
  await createStream(store, keyStream(id), record(KEY_EVENTS, decideIssue(key), recording));
  for (const stream of [organizationStream(founded), keyStream(id)]) {
    for (const event of (await store.readStream(stream)).events) keys.apply(event);
  }
  return apiKey === null ? { kind: 'new', secret, file: options.keyFile } : { kind: 'configured' };
}

const REFUSED =
  'MNEME_API_KEY is a key that was revoked or disabled, or has expired. Unset it, or make another one with "mneme keys create --role owner".';

const DELETED =
  'MNEME_API_KEY is for the first organization, which was deleted. Unset it, or make another key with "mneme keys create --role owner".';

/** Lets processes that start concurrently on an empty log agree on one organization: the first claim counts. */
async function agreeOnOrganization({ store, clock }: AccessOptions): Promise<OrganizationId> {
  const organization = newId() as OrganizationId;
  const recording = { organization, cause: systemCause(), tags: [], now: clock.now() };
  const claim = record(ORGANIZATION_EVENTS, claimFounding(organization), recording);
  const claimed = await store.append(FOUNDING_STREAM, claim, { expected: 'no-stream' });
  if (claimed.ok) return organization;
  const { events } = await store.readStream(FOUNDING_STREAM);
  return (events[0] as RecordedEvent).envelope.organization;
}

/** Creates a stream, unless another process has created it with the same events. */
async function createStream(store: EventStore, stream: string, events: readonly NewEvent[]): Promise<void> {
  await store.append(stream, events, { expected: 'no-stream' });
}
