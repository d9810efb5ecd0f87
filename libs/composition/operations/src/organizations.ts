import { setTimeout as pause } from 'node:timers/promises';
import { createOrganization, type Organization } from '#features/access';
import { type JsonObject, type OrganizationId } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { type OperationsContext, OperatorError, textOf } from './operation.ts';
import { noOrganization, organizationsIn } from './organization-of.ts';
import { countDocuments } from './rebuild.ts';

const LOOK_AGAIN_MS = 500;

const lineOf = ({ id, name, state, createdAt }: Organization): JsonObject => ({ id, name, state, createdAt });

/** Lists the organizations that are not deleted, the first founded first. Times are milliseconds since the Unix epoch. */
export async function* listOrganizations(context: OperationsContext): AsyncIterable<JsonObject> {
  for (const organization of await organizationsIn(context)) yield lineOf(organization);
}

/** Creates an organization, and yields the `secret` of its first owner key. */
export async function* newOrganization(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const { organizations, keyRepository: keys } = context.parts;
  // Without any, the next start of the server founds the first one.
  if ((await organizationsIn(context)).length === 0) {
    throw new OperatorError('The installation has no organization yet. Start its server once.');
  }
  const name = textOf(input.name);
  if (name === null) throw new OperatorError('Give the organization a name.');
  const { organization, secret } = await createOrganization({ organizations, keys, clock: context.clock }, name);
  yield { ...lineOf(organization), secret };
}

/** Suspends or resumes an organization. */
export async function* changeOrganization(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const id = String(input.id);
  const changed = await context.parts.organizations.change(systemCause(), id, {
    isSuspended: input.suspended === true,
  });
  if (changed.ok) yield lineOf(changed.value);
  else throw refused(id, changed.error);
}

/**
 * Has an organization deleted, and follows until nothing is left of it or the signal aborts; the deletion goes on without the
 * call. The last line has `done`: false if no server is there to do the work.
 */
export async function* deleteOrganization(
  context: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const id = String(input.id);
  await organizationsIn(context);
  const requested = await context.parts.organizations.delete(systemCause(), id);
  if (!requested.ok) throw refused(id, requested.error);
  const isWorkedOn = context.server !== null || context.config.natsUrl !== null;
  const { reader } = context.parts.views;
  let of = 0;
  while (isWorkedOn && !signal.aborted) {
    if (!(await organizationsIn(context)).some((one) => one.id === id)) {
      yield { id, phase: 'done', done: true };
      return;
    }
    const left = await countDocuments(reader, [id as OrganizationId]);
    of = Math.max(of, left);
    yield { id, phase: 'delete', documents: of - left, of };
    await pause(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
  yield { id, phase: 'done', done: false };
}

function refused(
  id: string,
  refusal: 'organization_not_found' | 'organization_deleting' | 'last_organization',
): OperatorError {
  if (refusal === 'organization_not_found') return noOrganization(id);
  if (refusal === 'organization_deleting') return new OperatorError(`The organization ${id} is being deleted.`);
  return new OperatorError('It is the only organization of the installation. Create another one first.');
}
