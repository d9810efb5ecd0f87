import type { Command } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { type CommonOptions, follow, withCommon } from './common.ts';

const { stdout } = process;

interface ReprocessOptions extends CommonOptions {
  readonly kind?: string;
}

interface LeftOut {
  readonly withTexts: number;
  readonly inWork: number;
  readonly failedBefore: number;
}

export function addReprocess(program: Command): void {
  withCommon(program.command('reprocess'))
    .description('read stored files again that an earlier version has read; goes on where it was interrupted')
    .option('--kind <kind>', 'the type of the documents, as GET /v3/documents/{id} names it, e.g. pdf')
    .action(async ({ kind, ...options }: ReprocessOptions, command: Command) => {
      if (kind === undefined) command.help({ error: true });
      const result = await follow(
        'reprocess',
        options,
        { kind },
        {
          unit: 'documents',
          show: ({ documents, of, failed }, bar) =>
            bar.show(Number(documents), Number(of), Number(failed) > 0 ? `, ${failed} failed` : ''),
        },
      );
      if (Number(result.failed) > 0) process.exitCode = 1;
      if (!options.json) stdout.write(resultText(result));
    });
}

function resultText({ done, read = 0, changed = 0, current = 0, failed = 0, leftOut }: JsonObject): string {
  const { withTexts, inWork, failedBefore } = (leftOut ?? {}) as Partial<LeftOut>;
  const left = [
    withTexts && `${withTexts} whose file stays as it was read, because texts were added to it or took its place`,
    inWork && `${inWork} in work`,
    failedBefore && `${failedBefore} that had failed before (see: mneme dead-letters)`,
  ].filter(Boolean);
  return [
    `Read again: ${read}, of these with another text: ${changed}. Read by this version already: ${current}.`,
    ...(left.length > 0 ? [`Left out: ${left.join('; ')}.`] : []),
    ...(Number(failed) > 0 ? [`Failed: ${failed}. The reasons: mneme dead-letters list`] : []),
    ...(done === true ? [] : ['Interrupted. Run the command again to continue.']),
    '',
  ].join('\n');
}
