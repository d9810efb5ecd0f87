import { type Clock, contentHash, newId, type OrganizationId } from '#platform/kernel';
import { type EventStore, type NewEvent, type RecordedEvent, readPages, record, systemCause } from '#ports/event-store';
import { createApiKeys, type KeyRecord, type MemoryApiKeys } from './api-keys.ts';
import { decideIssue, initialKey, KEY_EVENTS, type KeyState } from './key.ts';
import { findOwnerKey, type OwnerKey, saveOwnerKey } from './key-file.ts';
import { generateKey, hashKey } from './keys.ts';
import {
  claimFounding,
  decideFound,
  FOUNDING_STREAM,
  ORGANIZATION_EVENTS,
  organizationStream,
} from './organization.ts';
import { foldKey, keyRecord } from './stored-keys.ts';

const keyStream = (id: string): string => `key-${id}`;

export interface Access {
  readonly keys: MemoryApiKeys;
  readonly ownerKey: OwnerKey;
}

export interface AccessOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  /** The owner key; null: one is generated. */
  readonly apiKey: string | null;
  /** File for a generated key, readable only by its owner. */
  readonly keyFile: string;
}

const PAGE = 1_000;

/** Reads the keys from the log. The first start creates the organization and its owner key. */
export async function openAccess(options: AccessOptions): Promise<Access> {
  const { store, apiKey } = options;
  const { organization, keys } = await readKeys(store);
  const apiKeys = createApiKeys();
  for (const key of keys) if (key.status === 'issued') apiKeys.add(keyRecord(key));
  if (apiKey !== null && apiKeys.authenticate(apiKey) !== null) {
    return { keys: apiKeys, ownerKey: { kind: 'configured' } };
  }
  if (apiKey === null && keys.length > 0) {
    return { keys: apiKeys, ownerKey: (await findOwnerKey(options.keyFile, apiKeys)) ?? { kind: 'removed' } };
  }

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
  const hash = hashKey(secret);
  // Derived from the key, so that processes that start concurrently with the same key issue one.
  const id = contentHash('key', hash).slice(0, 22);
  const key = { id, role: 'owner' as const, name: 'owner', hash };
  await createStream(store, keyStream(id), record(KEY_EVENTS, decideIssue(key), recording));
  apiKeys.add(keyRecord({ status: 'issued', organization: founded, ...key }));
  const ownerKey: OwnerKey = apiKey === null ? { kind: 'new', secret, file: options.keyFile } : { kind: 'configured' };
  return { keys: apiKeys, ownerKey };
}

async function readKeys(store: EventStore) {
  const events: RecordedEvent[] = [];
  const range = { after: null, limit: PAGE, filter: { categories: ['organization', 'key'] } };
  for await (const page of readPages(store, range)) events.push(...page.events);
  const founded = events.find(({ envelope }) => envelope.type === 'OrganizationFounded');
  const streams = Map.groupBy(
    events.filter(({ stream }) => stream.startsWith('key-')),
    ({ stream }) => stream,
  );
  const keys = [...streams.values()].map((stream) => stream.reduce<KeyState>(foldKey, initialKey));
  return { organization: founded?.envelope.organization ?? null, keys };
}

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

/** Returns the key that an event issues, or null for any other event. */
export function issuedKey(event: RecordedEvent): KeyRecord | null {
  const state = foldKey(initialKey, event);
  return state.status === 'issued' ? keyRecord(state) : null;
}
