import { type Command, InvalidArgumentError, Option } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { type CommonOptions, print } from './common.ts';
import { withOrganization } from './organizations.ts';
import { plain } from './output.ts';
import { type TagOptions, tagsOf, tagsText, withTags } from './tags.ts';

const { stderr } = process;

interface OneOptions extends CommonOptions {
  readonly organization?: string;
}

interface InviteOptions extends OneOptions, TagOptions {
  readonly role: string;
}

function address(text: string): string {
  if (/^[^\s@,]+@[^\s@,]+$/.test(text)) return text;
  throw new InvalidArgumentError('It is an e-mail address like ada@example.com.');
}

function inviteInput(email: string, options: InviteOptions): JsonObject {
  const containerTags = tagsOf(options);
  // Owners and admins reach all tags.
  const common = { email, organization: options.organization };
  return containerTags.length === 0 ? { ...common, role: options.role } : { ...common, role: 'member', containerTags };
}

function textOf(person: JsonObject): string {
  const state =
    person.status === 'pending' ? `, invited until ${new Date(Number(person.expiresAt)).toISOString()}` : '';
  return `${person.id}  ${plain(person.email)}  ${person.role}, ${tagsText(person) || 'all tags'}${state}`;
}

/** They work without a server, too. */
export function addTeam(program: Command): void {
  const team = program.command('team').description('members and invitations: list them, invite and remove people');
  withOrganization(team.command('list', { isDefault: true }))
    .description('list the members and the pending invitations')
    .action(async (options: OneOptions) => {
      await print('team-list', options, { organization: options.organization }, textOf);
    });
  withTags(withOrganization(team.command('invite').argument('<email>', 'address of the person', address)))
    .description('invite a person and print the token, which cannot be read again; no mail is sent')
    .addOption(
      new Option('--role <role>', 'what the person may manage').choices(['owner', 'admin', 'member']).default('member'),
    )
    .action(async (email: string, options: InviteOptions) => {
      await print('team-invite', options, inviteInput(email, options), ({ token }) => plain(token));
      if (!options.json) stderr.write('Keep it: it is not stored and cannot be shown again. It is valid for 7 days.\n');
    });
  withOrganization(team.command('remove <id>'))
    .description('remove a member, or withdraw an invitation')
    .action(async (id: string, options: OneOptions) => {
      await print('team-remove', options, { id, organization: options.organization }, () => `${plain(id)} is removed.`);
    });
}
