import { chmod, writeFile } from 'node:fs/promises';
import { createKeyRing, generateKey, hashKey, type MemoryKeyRing } from '#access';
import { type Cause, keyStream, organizationStream, record, SYSTEM } from '#documents';
import { decideFound, decideIssue, evolveKey, initialKey, type KeyState } from '#domain';
import type { EventStore, RecordedEvent } from '#event-store';
import { type Clock, newId, type OrganizationId } from '#kernel';

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
  for (const key of keys) if (key.status === 'issued') ring.add(toRecord(key));
  if (organization !== null && (apiKey === null || ring.authenticate(apiKey) !== null))
    return { keys: ring, ownerKey: null };

  const founded = organization ?? (newId() as OrganizationId);
  const secret = apiKey ?? generateKey(founded).secret;
  if (organization === null) await append(options, organizationStream(founded), founded, decideFound('Mneme'));
  // Before the event: a crash in between must not leave a key that nobody knows.
  if (apiKey === null) await keep(options.keyFile, secret);
  const id = newId();
  const key = { id, role: 'owner' as const, name: 'owner', hash: hashKey(secret) };
  await append(options, keyStream(id), founded, decideIssue(key));
  ring.add(toRecord({ status: 'issued', organization: founded, ...key }));
  return { keys: ring, ownerKey: apiKey === null ? secret : null };
}

async function readKeys(store: EventStore) {
  const events: RecordedEvent[] = [];
  for (let after = null as RecordedEvent['position'] | null, end = false; !end; ) {
    const slice = await store.readAll({ after, limit: PAGE, filter: { categories: ['organization', 'key'] } });
    events.push(...slice.events);
    after = slice.position;
    end = slice.end;
  }
  const founded = events.find(({ envelope }) => envelope.type === 'OrganizationFounded');
  const streams = Map.groupBy(
    events.filter(({ stream }) => stream.startsWith('key-')),
    ({ stream }) => stream,
  );
  const keys = [...streams.values()].map((stream) => stream.reduce<KeyState>(evolveKey, initialKey));
  return { organization: founded?.envelope.organization ?? null, keys };
}

async function append(
  { store, clock }: AccessOptions,
  stream: string,
  organization: OrganizationId,
  decided: Parameters<typeof record>[0],
) {
  const cause: Cause = { organization, actor: SYSTEM, correlationId: newId(), causationId: null };
  const appended = await store.append(stream, record(decided, cause, [], clock.now()), { expected: 'no-stream' });
  if (!appended.ok) throw new Error(`${stream} exists already`);
}

async function keep(file: string, secret: string): Promise<void> {
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}

function toRecord({ id, organization, role, hash }: KeyState & { status: 'issued' }) {
  return { id, organization: organization as OrganizationId, role, hash, revokedAt: null, expiresAt: null };
}
