import { IssuedKeys, type KeyRefusal, newKey, organizationsOf, readKeyEvents } from '#features/access';
import { Team } from '#features/team';
import {
  type Json,
  type JsonObject,
  type Principal,
  type Result,
  type Role,
  type TagPermission,
} from '#platform/kernel';
import { type EventStore, systemCause } from '#ports/event-store';
import { type OperationsContext, OperatorError, textOf } from './operation.ts';

/** Lists the keys that are not revoked, the first issued first. Times are milliseconds since the Unix epoch; null: never. */
export async function* listKeys({ parts, clock }: OperationsContext): AsyncIterable<JsonObject> {
  const { store } = parts.storage;
  const keys = new IssuedKeys([], clock, new Team(clock));
  await readKeyEvents(store, keys, null);
  const { organization } = await operatorOf(store);
  for (const { id, name, role, start, limits, isEnabled, createdAt } of keys.of(organization)) {
    const { containerTags = null, permission = 'write', expiresAt = null } = limits;
    const tags = containerTags?.map((one) => ({ ...one })) ?? null;
    yield { id, name, role, start, permission, containerTags: tags, expiresAt, createdAt, enabled: isEnabled };
  }
}

/** Issues a key, and yields its `secret`. The command line has checked the values. */
export async function* createKey(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const operator = await operatorOf(context.parts.storage.store);
  const containerTags = input.containerTags as readonly TagPermission[] | undefined;
  const limits = {
    ...(containerTags !== undefined && { containerTags }),
    ...(input.permission === 'read' && { permission: 'read' as const }),
  };
  const wish = { name: String(input.name), role: input.role as Role, limits };
  const days = typeof input.expiresInDays === 'number' ? input.expiresInDays : null;
  const { secret, payload } = newKey(operator.organization, { ...wish, expiresInDays: days }, context.clock.now());
  const { id } = granted(await context.parts.keyRepository.issue(operator, systemCause(), payload), payload.id);
  yield { id, secret };
}

/** Disables or enables a key. */
export async function* changeKey(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const operator = await operatorOf(context.parts.storage.store);
  const [id, isEnabled] = [named(input.id), input.enabled === true];
  granted(await context.parts.keyRepository.change(operator, systemCause(), id, { isEnabled }), id);
  yield { id, enabled: isEnabled };
}

/** Revokes a key for good. */
export async function* revokeKey(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const operator = await operatorOf(context.parts.storage.store);
  const id = named(input.id);
  granted(await context.parts.keyRepository.revoke(operator, systemCause(), id), id);
  yield { id, revoked: true };
}

/** Who works on the machine may do what an owner may do. */
export async function operatorOf(store: Pick<EventStore, 'readAll'>): Promise<Principal> {
  const [organization] = await organizationsOf(store);
  if (organization === undefined) {
    throw new OperatorError('The event log has no organization yet. Start the server once.');
  }
  return { organization, keyId: 'operator', role: 'owner', tags: 'all', writableTags: 'all' };
}

function named(id: Json | undefined): string {
  const text = textOf(id);
  if (text === null) throw new OperatorError('Name the key by its id, as "mneme keys list" shows it.');
  return text;
}

function granted<T>(result: Result<T, KeyRefusal>, id: string): T {
  if (result.ok) return result.value;
  throw new OperatorError(`There is no key ${id}. "mneme keys list" shows the ids.`);
}
