import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { type Common, lines, withCommon } from './common.ts';
import { jsonLine, plain, progressBar } from './output.ts';

const { stdout, stderr } = process;
const FOLDER = 'mneme-export';

/** Shows the progress and the problems, and returns the last line; exit code 1 if not every document was handled. */
async function follow(name: string, options: Common, input: JsonObject): Promise<JsonObject> {
  let last: JsonObject = { done: false };
  const problems: string[] = [];
  const bar = progressBar(stderr, 'documents');
  for await (const line of lines(name, options, input)) {
    last = line;
    if (options.json) jsonLine(stdout, line);
    else if (line.problem !== undefined) problems.push(plain(line.message));
    else if (line.phase !== 'done') {
      const text = line.waits === true ? '; waits, because the backlog is full' : '';
      bar.show(Number(line.documents), Number(line.of), text);
    }
  }
  bar.end();
  // After the bar, which overwrites its line.
  for (const problem of problems) stderr.write(`${problem}\n`);
  if (last.done !== true || Number(last.skipped) > 0) process.exitCode = 1;
  return last;
}

export function addTransfers(program: Command): void {
  withCommon(program.command('export [folder]'))
    .description(`write documents with their history into an empty folder (default: ${FOLDER})`)
    .option('--tag <tag>', 'only documents with this tag')
    .action(async (folder: string | undefined, options: Common & { readonly tag?: string }) => {
      const input = { folder: resolve(folder ?? FOLDER), tag: options.tag };
      const { done, documents, skipped, folder: written } = await follow('export', options, input);
      if (options.json) return;
      if (done !== true) stdout.write('Export aborted. What it had written is removed.\n');
      else stdout.write(`${documents} documents exported to ${written}, ${skipped} skipped.\n`);
    });
  withCommon(program.command('import [folder]'))
    .description(`add the documents of an export (default: ${FOLDER}); exit code 1 if any is skipped`)
    .option('--new-ids', 'give documents whose id is taken another id')
    .action(async (folder: string | undefined, options: Common & { readonly newIds?: boolean }) => {
      const input = { folder: resolve(folder ?? FOLDER), newIds: options.newIds ?? false };
      const { done, imported, unchanged, skipped } = await follow('import', options, input);
      if (options.json) return;
      if (done !== true) stdout.write('Import aborted. Run the command again to continue.\n');
      else stdout.write(`${imported} documents imported, ${unchanged} unchanged, ${skipped} skipped.\n`);
    });
}
