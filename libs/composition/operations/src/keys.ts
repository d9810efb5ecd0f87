import { type KeyRefusal, newKey, operatorIn } from '#features/access';
import type { Json, JsonObject, Principal, Result, Role, TagPermission } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { type OperationsContext, OperatorError, textOf } from './operation.ts';
import { operatorOf, organizationsIn } from './organization-of.ts';

/** Lists the keys of an organization that are not revoked, the first issued first. Times are milliseconds since the Unix epoch; null: never. */
export async function* listKeys(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const { organization } = await operatorOf(context, input);
  for (const { id, name, role, start, limits, grant, isEnabled, createdAt } of context.parts.keys.of(organization)) {
    const { containerTags = null, permission = 'write', expiresAt = grant?.refreshUntil ?? null } = limits;
    const client = grant === undefined ? null : { ...grant.client };
    const tags = containerTags?.map((one) => ({ ...one })) ?? null;
    const rights = { role, permission, containerTags: tags };
    yield { id, name, client, start, ...rights, expiresAt, createdAt, enabled: isEnabled };
  }
}

/** Issues a key, and yields its `secret`. The command line has checked the values. */
export async function* createKey(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const operator = await operatorOf(context, input);
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
  const [id, isEnabled] = [named(input.id), input.enabled === true];
  const operator = await managerOf(context, id);
  granted(await context.parts.keyRepository.change(operator, systemCause(), id, { isEnabled }), id);
  yield { id, enabled: isEnabled };
}

/** Revokes a key for good. */
export async function* revokeKey(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const id = named(input.id);
  const operator = await managerOf(context, id);
  granted(await context.parts.keyRepository.revoke(operator, systemCause(), id), id);
  yield { id, revoked: true };
}

/** Who manages a key: the operator, in its organization. @throws OperatorError if there is no such key */
async function managerOf(context: OperationsContext, id: string): Promise<Principal> {
  const organizations = await organizationsIn(context);
  const own = organizations.find((one) => context.parts.keys.of(one.id).some((key) => key.id === id));
  if (own === undefined) throw noKey(id);
  return operatorIn(own);
}

function named(id: Json | undefined): string {
  const text = textOf(id);
  if (text === null) throw new OperatorError('Name the key by its id, as "mneme keys list" shows it.');
  return text;
}

function granted<T>(result: Result<T, KeyRefusal>, id: string): T {
  if (result.ok) return result.value;
  throw noKey(id);
}

const noKey = (id: string): OperatorError =>
  new OperatorError(`There is no key ${id}. "mneme keys list" shows the ids.`);
