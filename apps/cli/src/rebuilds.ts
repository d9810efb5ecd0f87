import type { Command } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { type CommonOptions, follow, withCommon } from './common.ts';
import { plain } from './output.ts';

const { stdout } = process;

const PHASES: Readonly<Record<string, string>> = {
  embed: ' embedded',
  release: ' checked',
  compare: ' compared',
};

/** Shows the progress of a rebuild and its rate, which is measured per phase. */
export function rebuild(name: string, options: CommonOptions, input: JsonObject): Promise<JsonObject> {
  let [phase, phaseStart, lastLineAt]: [unknown, number, number] = [undefined, performance.now(), performance.now()];
  return follow(name, options, input, {
    unit: 'documents',
    show: (line, bar) => {
      // A phase starts with the last line of the previous one.
      if (phase !== undefined && line.phase !== phase) phaseStart = lastLineAt;
      [phase, lastLineAt] = [line.phase, performance.now()];
      if (line.documents === undefined) return;
      const seconds = (lastLineAt - phaseStart) / 1_000;
      const rate = typeof line.units === 'number' ? `, ${Math.round(line.units / seconds)} units/s` : '';
      bar.show(Number(line.documents), Number(line.of), `${rate}${PHASES[String(line.phase)] ?? ''}`);
    },
  });
}

interface ReplayOptions extends CommonOptions {
  readonly verify?: boolean;
}

export function addRebuilds(program: Command): void {
  withCommon(program.command('replay'))
    .description('rebuild the views from the log; the current views serve until the rebuild is complete')
    .option('--verify', 'only compare the rebuilt views with the current ones; exit code 1 if they differ')
    .action(async (options: ReplayOptions) => {
      const { documents, units, difference, removedStreams, done } = await rebuild('replay', options, {
        verify: options.verify ?? false,
      });
      if (difference) process.exitCode = 1;
      if (options.json) return;
      if (done !== true) stdout.write('Rebuild aborted. The current views are unchanged.\n');
      else if (difference) stdout.write(differenceText(difference as JsonObject));
      else if (options.verify) stdout.write(`No difference: ${documents} documents, ${units} units.\n`);
      else stdout.write(`Views rebuilt: ${documents} documents, ${units} units.\n`);
      stdout.write(removedText(removedStreams));
    });
  withCommon(program.command('rebuild'))
    .description('embed documents with another model; searches use the current one until all vectors exist')
    .requiredOption('--vector-space <name>', 'name of the vector space or of its model')
    .option(
      '--all-languages',
      'with a multilingual model: every document, not only those in other languages than English',
    )
    .option('--release-others', 'delete the vectors of all other spaces afterwards; a switch back embeds again')
    .action(async (options: CommonOptions & RebuildOptions) => {
      const { done, space, without } = await rebuild('rebuild-vector-space', options, {
        name: options.vectorSpace,
        allLanguages: options.allLanguages ?? false,
        releaseOthers: options.releaseOthers ?? false,
      });
      if (options.json) return;
      if (done !== true) {
        stdout.write('Rebuild aborted. The current space serves; run the command again to continue.\n');
      } else if (without === 0) {
        stdout.write(`${space} serves; every document has vectors.\n`);
      } else {
        stdout.write(`${space} serves; ${without} documents have no vectors yet and are found by words only.\n`);
      }
    });
}

interface RebuildOptions {
  readonly vectorSpace: string;
  readonly allLanguages?: boolean;
  readonly releaseOthers?: boolean;
}

const differenceText = ({ documentId, field, serving, rebuilt }: JsonObject): string =>
  [
    `Document ${documentId} differs in ${field}:`,
    `  current: ${serving === null ? '(missing)' : plain(serving)}`,
    `  rebuilt: ${rebuilt === null ? '(missing)' : plain(rebuilt)}`,
    'Replace the views with: mneme replay',
    '',
  ].join('\n');

/** @param streams names, if the views were verified */
function removedText(streams: unknown): string {
  if (!Array.isArray(streams) || streams.length === 0) return '';
  const count = streams.length === 1 ? '1 stream was' : `${streams.length} streams were`;
  return `${count} removed with the event log's own tools, and count as deleted: ${streams.map(plain).join(', ')}\n`;
}
