import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { type CommonOptions, follow, withCommon } from './common.ts';
import { plain } from './output.ts';

const { stdout, stderr } = process;

const MEGABYTE = 1_000_000;
const megabytes = (bytes: unknown) => Math.ceil(Number(bytes) / MEGABYTE);

const PHASES: Readonly<Record<string, string>> = { copy: ' copied', verify: ' verified', restore: ' restored' };

const copy = (name: string, options: CommonOptions, folder: string, more: JsonObject = {}): Promise<JsonObject> =>
  follow(
    name,
    options,
    { folder: resolve(folder), ...more },
    {
      unit: 'MB',
      show: ({ bytes, of, phase }, bar) => bar.show(megabytes(bytes), megabytes(of), PHASES[String(phase)] ?? ''),
    },
  );

function missingText({ missing, missingBlobs }: JsonObject): string {
  const blobs = (missingBlobs as readonly unknown[]).map((blob) => `  ${plain(blob)}\n`);
  const further = Number(missing) - blobs.length;
  const more = further > 0 ? `  and ${further} more\n` : '';
  return (
    `${missing} files or long texts that the event log names are missing in blobs/ (organization/document/name):\n` +
    `${blobs.join('')}${more}Put them back, e.g. from an earlier backup, or delete their documents.\n`
  );
}

function sealedText({ key, place, isGenerated }: JsonObject): string {
  if (isGenerated !== true) return `It can be restored only with the key ${key} of ${plain(place)}.\n`;
  return (
    `It can be restored only with the key ${key} in ${plain(place)}, which is not in the backup.\n` +
    'Keep a copy of that file in another place than the backup: if both disks are lost, nobody can open it.\n'
  );
}

export function addBackups(program: Command): void {
  withCommon(program.command('backup <folder>'))
    .description('copy the data of a running or stopped server into an empty folder')
    .option('--sealed', 'encrypt it with the master key, without which it cannot be restored')
    .action(async (folder: string, options: CommonOptions & { readonly sealed?: boolean }) => {
      const last = await copy('backup', options, folder, { sealed: options.sealed ?? false });
      const { done, files, bytes, position, missing } = last;
      if (Number(missing) > 0) process.exitCode = 1;
      if (options.json) return;
      const written = `${files} files, ${megabytes(bytes)} MB, log position ${position}.\n`;
      if (done !== true) stdout.write('Backup aborted. What it had written is removed.\n');
      else if (missing === 0) stdout.write(`Backup complete: ${written}`);
      else {
        stdout.write(`Backup written, without what is missing: ${written}`);
        stderr.write(missingText(last));
      }
      if (done === true && last.sealed != null) stderr.write(sealedText(last.sealed as JsonObject));
    });
  withCommon(program.command('restore <folder>'))
    .description('write a backup into an empty data folder')
    .action(async (folder: string, options: CommonOptions) => {
      const last = await copy('restore', options, folder);
      const { done, files, bytes, folder: data, missing } = last;
      if (options.json) return;
      if (done !== true) stdout.write('Restore aborted.\n');
      else stdout.write(`Restored ${files} files, ${megabytes(bytes)} MB, into ${data}. Start the server.\n`);
      if (Number(missing) > 0) stderr.write(`${missing} files and long texts were lost before the backup was made.\n`);
    });
}
