import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { type CommonOptions, follow, lines, print, withCommon } from './common.ts';
import { plain } from './output.ts';

const { stdin, stdout, stderr } = process;

const textOf = ({ id, name, state, createdAt }: JsonObject): string =>
  `${id}  ${state}  since ${new Date(Number(createdAt)).toISOString()}  ${plain(name)}`;

/** Commands that act on one organization name it by this. */
export const withOrganization = (command: Command): Command =>
  withCommon(command).option('--organization <id>', 'needed if the installation has several');

interface DeleteOptions extends CommonOptions {
  readonly yes?: boolean;
}

/** Asks for the name of the organization. Returns whether it was given. */
async function isConfirmed(id: string, options: CommonOptions): Promise<boolean> {
  if (!stdin.isTTY || !stderr.isTTY) return false;
  for await (const organization of lines('organizations-list', options, {})) {
    if (organization.id !== id) continue;
    const terminal = createInterface({ input: stdin, output: stderr });
    const question = `Everything of ${plain(organization.name)} will be erased. Type its name to go on: `;
    const answer = await terminal.question(question);
    terminal.close();
    return answer === organization.name;
  }
  return true;
}

export function addOrganizations(program: Command): void {
  const organizations = program
    .command('organizations')
    .description('organizations, which share no data: list, create, suspend, resume and delete them');
  withCommon(organizations.command('list', { isDefault: true }))
    .description('list the organizations with their states')
    .action(async (options: CommonOptions) => {
      await print('organizations-list', options, {}, textOf);
    });
  withCommon(organizations.command('create <name>'))
    .description('create an organization and print its id and its first owner key, which cannot be read again')
    .action(async (name: string, options: CommonOptions) => {
      await print('organizations-create', options, { name }, ({ id, secret }) => `${id}\n${plain(secret)}`);
      if (!options.json) stderr.write('Keep the key: it is not stored and cannot be shown again.\n');
    });
  for (const [name, suspended, description] of [
    ['suspend', true, 'refuse all keys of an organization until it is resumed'],
    ['resume', false, 'accept the keys of a suspended organization again'],
  ] as const) {
    withCommon(organizations.command(`${name} <id>`))
      .description(description)
      .action(async (id: string, options: CommonOptions) => {
        await print('organizations-change', options, { id, suspended }, () => `${plain(id)} is ${name}d.`);
      });
  }
  withCommon(organizations.command('delete <id>'))
    .description('erase everything of an organization; its keys are refused at once')
    .option('--yes', 'do not ask for its name first')
    .action(async (id: string, { yes = false, ...options }: DeleteOptions) => {
      if (!yes && !(await isConfirmed(id, options))) {
        stderr.write('Nothing is deleted. Confirm it by the name of the organization, or with --yes.\n');
        process.exitCode = 1;
        return;
      }
      const { done } = await follow(
        'organizations-delete',
        options,
        { id },
        { unit: 'documents', show: ({ documents, of }, bar) => bar.show(Number(documents), Number(of), ' erased') },
      );
      process.exitCode = 0;
      if (options.json) return;
      if (done === true) stdout.write(`${plain(id)} is deleted.\n`);
      else stdout.write(`${plain(id)} is being deleted: the server goes on with it, now or at its next start.\n`);
    });
}
