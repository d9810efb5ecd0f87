import { session } from '../../http/meta/meta.responses.ts';
import { readTag } from '../caller.ts';
import { listOf, objectOf, oneOf, TEXT, TEXT_OR_NULL } from '../schema.ts';
import { tool } from '../tool.ts';

class Arguments {}

const PERMISSION = oneOf('read', 'write');

export const whoAmI = tool<Arguments>({
  name: 'whoAmI',
  title: 'Who am I',
  description: 'Returns whose key this is, what it permits, and which space is used if none is named.',
  permission: 'read',
  countedAs: 'request',
  input: Arguments,
  about: {},
  output: objectOf(
    {
      ...{ userId: TEXT, email: TEXT, name: TEXT, role: oneOf('owner', 'admin', 'member') },
      ...{ accessType: oneOf('full', 'restricted'), activeSpace: TEXT_OR_NULL },
      assignedSpaces: { ...listOf(objectOf({ containerTag: TEXT, permission: PERMISSION })), type: ['array', 'null'] },
      scope: objectOf({ type: oneOf('full', 'scoped'), permission: PERMISSION, tags: listOf(TEXT) }, ['tags']),
    },
    ['email', 'name'],
  ),
  async run({ team }, caller) {
    const { principal } = caller;
    const member = team.memberOf(principal);
    const shown = session(principal, { member, usage: null, of: null, memberships: null });
    const activeSpace = readTag(caller);
    const { id, ...person } = shown.user;
    const used = activeSpace === null ? 'several spaces' : `the space ${activeSpace}`;
    return {
      text: `${person.name ?? person.email ?? id}, ${shown.role}, ${shown.accessType} access; without a named space: ${used}.`,
      structured: {
        ...{ userId: id, ...person, role: shown.role, accessType: shown.accessType, activeSpace },
        assignedSpaces: shown.containerTags?.map((one) => ({ ...one })) ?? null,
        scope: { ...shown.scope },
      },
    };
  },
});
