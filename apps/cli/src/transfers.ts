import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { type CommonOptions, follow } from './common.ts';
import { withOrganization } from './organizations.ts';
import { plain } from './output.ts';

const { stdout, stderr } = process;
const FOLDER = 'mneme-export';

interface OneOptions extends CommonOptions {
  readonly organization?: string;
}

/** Shows the progress and the problems, and returns the last line; exit code 1 if not every document was handled. */
async function transfer(name: string, options: CommonOptions, input: JsonObject): Promise<JsonObject> {
  const problems: string[] = [];
  const last = await follow(name, options, input, {
    unit: 'documents',
    show: (line, bar) => {
      const text = line.waits === true ? '; waits, because the backlog is full' : '';
      if (line.problem !== undefined) problems.push(plain(line.message));
      else bar.show(Number(line.documents), Number(line.of), text);
    },
  });
  // After the bar, which overwrites its line.
  for (const problem of problems) stderr.write(`${problem}\n`);
  if (Number(last.skipped) > 0) process.exitCode = 1;
  return last;
}

export function addTransfers(program: Command): void {
  withOrganization(program.command('export [folder]'))
    .description(`write documents with their history into an empty folder (default: ${FOLDER})`)
    .option('--tag <tag>', 'only documents with this tag')
    .action(async (folder: string | undefined, options: OneOptions & { readonly tag?: string }) => {
      const input = { folder: resolve(folder ?? FOLDER), tag: options.tag, organization: options.organization };
      const { done, documents, skipped, folder: written } = await transfer('export', options, input);
      if (options.json) return;
      if (done !== true) stdout.write('Export aborted. What it had written is removed.\n');
      else stdout.write(`${documents} documents exported to ${written}, ${skipped} skipped.\n`);
    });
  withOrganization(program.command('import [folder]'))
    .description(`add the documents of an export (default: ${FOLDER}); exit code 1 if any is skipped`)
    .option('--new-ids', 'give documents whose id is taken another id')
    .action(async (folder: string | undefined, options: OneOptions & { readonly newIds?: boolean }) => {
      const input = {
        folder: resolve(folder ?? FOLDER),
        newIds: options.newIds ?? false,
        organization: options.organization,
      };
      const { done, imported, unchanged, skipped } = await transfer('import', options, input);
      if (options.json) return;
      if (done !== true) stdout.write('Import aborted. Run the command again to continue.\n');
      else stdout.write(`${imported} documents imported, ${unchanged} unchanged, ${skipped} skipped.\n`);
    });
}
