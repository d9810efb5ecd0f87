import type { Command } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { type CommonOptions, print, withCommon } from './common.ts';
import { withOrganization } from './organizations.ts';
import { plain } from './output.ts';

interface ListOptions extends CommonOptions {
  readonly organization?: string;
}

const entryText = ({ organization, name, changedAt, key, opens }: JsonObject): string =>
  `${organization}  ${plain(name)}  ${changedAt}  key ${key}${opens === true ? '' : ', which is not there: sign in again'}`;

function rotationText({ key, isNew, sealed, left, place, isGenerated }: JsonObject): string {
  const made = isNew === true ? `${key} is the newest key in ${place}. ` : '';
  const lost = Number(left) > 0 ? ` ${left} cannot be opened: their key is not there.` : '';
  const next =
    isGenerated === true
      ? ' The former keys stay behind it, for backups that are sealed with them; remove their lines when there are none.'
      : ' The former keys can be taken out of the setting when no sealed backup needs them.';
  return `${made}${sealed} secrets were sealed again with ${key}.${lost}${next}`;
}

export function addSecrets(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('secrets that the server signs in with elsewhere: names and keys, never values');
  withOrganization(secrets.command('list', { isDefault: true }))
    .description('list the stored secrets, when they were set and which master key they are sealed with')
    .action(async ({ organization, ...options }: ListOptions) => {
      const count = await print('secrets-list', options, { organization }, entryText);
      if (count === 0 && !options.json) process.stdout.write('No secrets are stored.\n');
    });
  withCommon(secrets.command('rotate'))
    .description('seal all secrets again with the newest master key; makes one if the keys are in the data folder')
    .action(async (options: CommonOptions) => {
      await print('secrets-rotate', options, {}, rotationText);
    });
}
