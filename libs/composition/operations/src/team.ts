import type { Invitation, Member, TeamRefusal } from '#features/team';
import { type JsonObject, type Result, type Role, type TagPermission } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { type OperationsContext, OperatorError, textOf } from './operation.ts';
import { operatorOf } from './organization-of.ts';

/** Lists the members, then the pending invitations, the first ones first. Times are milliseconds since the Unix epoch. */
export async function* listTeam(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const { organization } = await operatorOf(context, input);
  const { team } = context.parts;
  for (const member of team.members(organization)) yield { ...lineOf(member), name: member.name, status: 'member' };
  for (const invitation of team.invitations(organization)) {
    yield { ...lineOf(invitation), status: 'pending', expiresAt: invitation.expiresAt };
  }
}

/** Invites a person, and yields the `token`. No mail is sent. The command line has checked the values. */
export async function* inviteMember(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const operator = await operatorOf(context, input);
  const containerTags = (input.containerTags ?? null) as readonly TagPermission[] | null;
  const wish = { email: String(input.email), role: input.role as Role, containerTags };
  const { teamRepository } = context.parts;
  const { invitation, token } = granted(
    await teamRepository.invite(operator, systemCause(), wish, context.clock.now()),
    wish.email,
  );
  yield { id: invitation.id, token };
}

/** Removes a member, or withdraws an invitation. */
export async function* removeMember(context: OperationsContext, input: JsonObject): AsyncIterable<JsonObject> {
  const operator = await operatorOf(context, input);
  const id = textOf(input.id);
  if (id === null) throw new OperatorError('Name the person by the id, as "mneme team list" shows it.');
  const { teamRepository } = context.parts;
  const withdrawn = await teamRepository.withdraw(operator, systemCause(), id);
  if (!withdrawn.ok) granted(await teamRepository.remove(operator, systemCause(), id), id);
  yield { id, removed: true };
}

function lineOf({ id, email, role, containerTags, createdAt }: Member | Invitation): JsonObject {
  return { id, email, role, containerTags: containerTags?.map((one) => ({ ...one })) ?? null, createdAt };
}

function granted<T>(result: Result<T, TeamRefusal>, name: string): T {
  if (result.ok) return result.value;
  switch (result.error) {
    case 'already_member':
      throw new OperatorError(`${name} is the address of a member.`);
    case 'last_owner':
      throw new OperatorError(`${name} is the last owner. Make another one first.`);
    default:
      throw new OperatorError(`There is no member or invitation ${name}. "mneme team list" shows the ids.`);
  }
}
