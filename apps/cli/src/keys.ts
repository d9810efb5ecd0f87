import { type Command, InvalidArgumentError, Option } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { type CommonOptions, print, withCommon } from './common.ts';
import { withOrganization } from './organizations.ts';
import { plain } from './output.ts';
import { type TagOptions, tagsOf, tagsText, withTags } from './tags.ts';

const { stderr } = process;

interface OneOptions extends CommonOptions {
  readonly organization?: string;
}

interface CreateOptions extends OneOptions, TagOptions {
  readonly name?: string;
  readonly role: string;
  readonly readOnly?: boolean;
  readonly expiresInDays?: number;
}

const MAX_DAYS = 365;

function days(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_DAYS) return count;
  throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_DAYS}.`);
}

function createInput(options: CreateOptions): JsonObject {
  const { name, role, readOnly, expiresInDays, organization } = options;
  const containerTags = tagsOf(options).map((one) => (readOnly ? { ...one, permission: 'read' } : one));
  const [first] = containerTags;
  return {
    name: name ?? (first === undefined ? role : `scoped_${first.containerTag}`),
    // A key for some tags manages nothing.
    role: first === undefined ? role : 'member',
    permission: readOnly ? 'read' : 'write',
    ...(first !== undefined && { containerTags }),
    ...(expiresInDays !== undefined && { expiresInDays }),
    ...(organization !== undefined && { organization }),
  };
}

function textOf(key: JsonObject): string {
  const expiry = key.expiresAt === null ? '' : `, until ${new Date(Number(key.expiresAt)).toISOString()}`;
  const state = key.enabled === true ? '' : ', disabled';
  const use = key.client === null ? '' : ', connected';
  const start = `${plain(key.start)}…`;
  return `${key.id}  ${start}  ${key.role}, ${tagsText(key) || `${key.permission} all tags`}${use}${expiry}${state}  ${plain(key.name)}`;
}

/** The way back in, too: they work without a server, and with nothing but the data folder or the event log. */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('API keys: list, create, disable, enable and revoke them');
  withOrganization(keys.command('list', { isDefault: true }))
    .description('list the keys that are not revoked, without their secrets')
    .action(async ({ organization, ...options }: OneOptions) => {
      await print('keys-list', options, { organization }, textOf);
    });
  withTags(withOrganization(keys.command('create')))
    .description('create a key and print its secret, which cannot be read again')
    .option('--name <name>', 'for people, to tell keys apart')
    .addOption(
      new Option('--role <role>', 'what it may manage').choices(['owner', 'admin', 'member']).default('member'),
    )
    .option('--read-only', 'it changes and manages nothing')
    .option('--expires-in-days <days>', `it is refused after so many days, at most ${MAX_DAYS}`, days)
    .action(async (options: CreateOptions) => {
      await print('keys-create', options, createInput(options), ({ secret }) => plain(secret));
      if (!options.json) stderr.write('Keep it: it is not stored and cannot be shown again.\n');
    });
  for (const [name, enabled, description] of [
    ['disable', false, 'refuse a key until it is enabled again'],
    ['enable', true, 'accept a disabled key again'],
  ] as const) {
    withCommon(keys.command(`${name} <id>`))
      .description(description)
      .action(async (id: string, options: CommonOptions) => {
        await print('keys-change', options, { id, enabled }, () => `${plain(id)} is ${name}d.`);
      });
  }
  withCommon(keys.command('revoke <id>'))
    .description('end a key for good')
    .action(async (id: string, options: CommonOptions) => {
      await print('keys-revoke', options, { id }, () => `${plain(id)} is revoked.`);
    });
}
