import { chmod, writeFile } from 'node:fs/promises';
import { type EventStore, type NewEvent, type RecordedEvent, readPages, record, systemCause } from '#event-store';
import { type Clock, contentHash, newId, type OrganizationId } from '#kernel';
import { decideIssue, initialKey, KEY_EVENTS, type KeyState } from './key.ts';
import { createKeyRing, type KeyRecord, type MemoryKeyRing } from './key-ring.ts';
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
  readonly keys: MemoryKeyRing;
  /** The owner key that was made, at the first start only. */
  readonly ownerKey: string | null;
}

export interface AccessOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  /** Fixes the owner key; null: one is made. */
  readonly apiKey: string | null;
  /** Where a key that was made is kept, readable by its owner only. */
  readonly keyFile: string;
}

const PAGE = 1_000;

/** Reads the keys from the log. At the first start it founds the organization and issues its owner key. */
export async function openAccess(options: AccessOptions): Promise<Access> {
  const { store, apiKey } = options;
  const { organization, keys } = await readKeys(store);
  const ring = createKeyRing();
  for (const key of keys) if (key.status === 'issued') ring.add(keyRecord(key));
  if (organization !== null && (apiKey === null || ring.authenticate(apiKey) !== null))
    return { keys: ring, ownerKey: null };

  const founded = organization ?? (await agreeOnOrganization(options));
  const secret = apiKey ?? generateKey(founded).secret;
  const recording = { organization: founded, cause: systemCause(), tags: [], now: options.clock.now() };
  if (organization === null) {
    await begin(store, organizationStream(founded), record(ORGANIZATION_EVENTS, decideFound('Mneme'), recording));
  }
  // Before the event: a crash in between must not leave a key that nobody knows.
  if (apiKey === null) await keep(options.keyFile, secret);
  const hash = hashKey(secret);
  // From the key, so that processes that start at once with the same key make one of it.
  const id = contentHash('key', hash).slice(0, 22);
  const key = { id, role: 'owner' as const, name: 'owner', hash };
  await begin(store, keyStream(id), record(KEY_EVENTS, decideIssue(key), recording));
  ring.add(keyRecord({ status: 'issued', organization: founded, ...key }));
  return { keys: ring, ownerKey: apiKey === null ? secret : null };
}

async function readKeys(store: EventStore) {
  const events: RecordedEvent[] = [];
  const wanted = { after: null, limit: PAGE, filter: { categories: ['organization', 'key'] } };
  for await (const page of readPages(store, wanted)) events.push(...page.events);
  const founded = events.find(({ envelope }) => envelope.type === 'OrganizationFounded');
  const streams = Map.groupBy(
    events.filter(({ stream }) => stream.startsWith('key-')),
    ({ stream }) => stream,
  );
  const keys = [...streams.values()].map((stream) => stream.reduce<KeyState>(foldKey, initialKey));
  return { organization: founded?.envelope.organization ?? null, keys };
}

/** Processes that start at the same time on an empty log agree on one organization: the first claim counts. */
async function agreeOnOrganization({ store, clock }: AccessOptions): Promise<OrganizationId> {
  const organization = newId() as OrganizationId;
  const recording = { organization, cause: systemCause(), tags: [], now: clock.now() };
  const claim = record(ORGANIZATION_EVENTS, claimFounding(organization), recording);
  const claimed = await store.append(FOUNDING_STREAM, claim, { expected: 'no-stream' });
  if (claimed.ok) return organization;
  const { events } = await store.readStream(FOUNDING_STREAM);
  return (events[0] as RecordedEvent).envelope.organization;
}

/** Does nothing if another process has begun the stream with the same events. */
async function begin(store: EventStore, stream: string, events: readonly NewEvent[]): Promise<void> {
  await store.append(stream, events, { expected: 'no-stream' });
}

async function keep(file: string, secret: string): Promise<void> {
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}

/** A key that another process has issued. */
export function issuedKey(event: RecordedEvent): KeyRecord | null {
  const state = foldKey(initialKey, event);
  return state.status === 'issued' ? keyRecord(state) : null;
}
