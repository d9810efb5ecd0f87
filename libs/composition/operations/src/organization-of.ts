import { type Organization, operatorIn, readKeyEvents } from '#features/access';
import type { JsonObject, OrganizationId, Principal } from '#platform/kernel';
import { type OperationsContext, OperatorError, textOf } from './operation.ts';

/** Returns the organizations that are not deleted, the first founded first. A command line without a server reads the log. */
export async function organizationsIn({ parts }: OperationsContext): Promise<readonly Organization[]> {
  await readKeyEvents(parts.storage.store, parts.keys, null);
  return parts.keys.organizations.all();
}

/**
 * Returns the organization that a command names by `organization`, or the only one.
 * @throws OperatorError if there is none, or if it has to be named
 */
export async function organizationOf(context: OperationsContext, input: JsonObject): Promise<OrganizationId> {
  const [first, ...others] = await namedIn(context, input);
  if (first === undefined) {
    throw new OperatorError('The installation has no organization yet. Start its server once.');
  }
  if (others.length > 0) {
    const count = others.length + 1;
    throw new OperatorError(
      `The installation has ${count} organizations. Name one with --organization; "mneme organizations list" shows the ids.`,
    );
  }
  if (first.state === 'deleting') throw new OperatorError(`The organization ${first.id} is being deleted.`);
  return first.id;
}

/** Returns the organization that a command names by `organization`, or all. @throws OperatorError if there is none of this id */
export async function namedIn(context: OperationsContext, input: JsonObject): Promise<readonly Organization[]> {
  const all = await organizationsIn(context);
  const named = textOf(input.organization);
  if (named === null) return all;
  const found = all.filter(({ id }) => id === named);
  if (found.length === 0) throw noOrganization(named);
  return found;
}

export const noOrganization = (id: string): OperatorError =>
  new OperatorError(`There is no organization ${id}. "mneme organizations list" shows the ids.`);

/** Who works on the machine may do what an owner may do. */
export async function operatorOf(context: OperationsContext, input: JsonObject): Promise<Principal> {
  return operatorIn({ id: await organizationOf(context, input) });
}
