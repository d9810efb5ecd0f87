import type { Command } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { addBackups } from './backups.ts';
import { type CommonOptions, lines, print, withCommon } from './common.ts';
import { addConnect } from './connect.ts';
import { addConnections } from './connections.ts';
import { addKeys } from './keys.ts';
import { addMcp } from './mcp/command.ts';
import { addOrganizations, withOrganization } from './organizations.ts';
import { jsonLine, plain } from './output.ts';
import { addQuotas } from './quotas.ts';
import { addRebuilds, rebuild } from './rebuilds.ts';
import { addReprocess } from './reprocess.ts';
import { addSecrets } from './secrets.ts';
import { addTeam } from './team.ts';
import { addTransfers } from './transfers.ts';

const { stdout, stderr } = process;

const eventText = (event: JsonObject): string =>
  [
    event.at,
    plain(event.type),
    event.documentId ?? event.memoryId ?? event.stream,
    ...['stage', 'attempt', 'code'].flatMap((name) =>
      event[name] === undefined ? [] : [`${name}=${plain(event[name])}`],
    ),
    `by ${plain(event.actor)}`,
    event.position,
  ].join('  ');

interface EventOptions extends CommonOptions {
  readonly types?: string;
  readonly document?: string;
  readonly memory?: string;
  readonly organization?: string;
  readonly after?: string;
}

const eventInput = ({ types, document, memory, organization, after }: EventOptions) => ({
  ...{ types, document, memory, organization, after },
});

const withFilter = (command: Command): Command =>
  withOrganization(command)
    .option('--types <names>', 'only these types, separated by commas')
    .option('--document <id>', 'only this document, by id or customId')
    .option('--memory <id>', 'only this memory, by id')
    .option('--after <position>', 'start after this position');

function addEvents(program: Command): void {
  const events = withOrganization(program.command('events'))
    .description('print the events of a document or memory: envelopes, never content')
    .option('--document <id>', 'document id or customId; after its deletion only the id')
    .option('--memory <id>', 'id of a memory that was recorded directly; after its deletion that of its first version')
    .action(async (options: EventOptions, command: Command) => {
      if (options.document === undefined && options.memory === undefined) command.help({ error: true });
      await print('events-export', options, eventInput(options), eventText);
    });
  withFilter(events.command('tail'))
    .description('print new events until Ctrl+C')
    .action(async (options: EventOptions) => {
      stderr.write('Waiting for events. Press Ctrl-C to end.\n');
      await print('events-tail', options, eventInput(options), eventText);
    });
  withFilter(events.command('export'))
    .description('print the log as JSON lines, up to its current end')
    .action(async (options: EventOptions) => {
      await print('events-export', { ...options, json: true }, eventInput(options), eventText);
    });
}

function addDeadLetters(program: Command): void {
  const letters = program.command('dead-letters').description('failed documents and unreadable messages');
  withCommon(letters.command('list'))
    .description('list failed documents and unreadable messages with reason and number of failures')
    .action(async (options: CommonOptions) => {
      const count = await print('dead-letters-list', options, {}, ({ id, at, code, why, stage, failures, kind }) =>
        kind === 'document'
          ? `${id}  ${at}  ${plain(stage)}  ${plain(code)}  ${plain(why)}  (failed ${failures} times)`
          : `${plain(id)}  ${at}  message  ${plain(why)}`,
      );
      if (count === 0 && !options.json) stdout.write('No dead letters.\n');
    });
  withOrganization(letters.command('retry [id]'))
    .description('process a failed document again, by id or customId (default: all failed documents)')
    .action(async (id: string | undefined, options: CommonOptions & { readonly organization?: string }) => {
      const { organization } = options;
      const count = await print(
        'dead-letters-retry',
        options,
        { id, organization },
        ({ id: retried }) => `${plain(retried)} is queued`,
      );
      if (count === 0 && !options.json) stdout.write('No failed documents.\n');
    });
}

function addPurge(program: Command): void {
  withCommon(program.command('purge'))
    .description('remove what was deleted from the files of the views; exit code 1 if something remains for now')
    .action(async (options: CommonOptions) => {
      const { done, kept, reason } = await rebuild('purge', options, {});
      if (options.json) return;
      if (done !== true) stdout.write(`Not removed: ${plain(reason)}. Run the command again.\n`);
      else if (kept === true) stdout.write('Deleted rows removed.\n');
      else stdout.write('Nothing to remove: deleted rows are overwritten at once.\n');
    });
}

function addOrphans(program: Command): void {
  withCommon(program.command('orphans'))
    .description('count the documents that have files here and are not in the event log, for example after its restore')
    .option('--remove', 'remove these files, unless their documents are in the log again within ten minutes')
    .action(async (options: CommonOptions & { readonly remove?: boolean }) => {
      await print('orphans', options, { remove: options.remove ?? false }, ({ documents, since, released }) => {
        if (released === true) return 'They are removed by the garbage collection of the server or worker from now on.';
        const kept = since === null ? '' : `, kept since ${since}`;
        return `Documents that have files here and are not in the event log: ${documents}${kept}`;
      });
    });
}

const SIGNS: Readonly<Record<string, string>> = { ok: 'ok', warning: '!', failed: 'FAILED' };

function addDoctor(program: Command): void {
  withCommon(program.command('doctor'))
    .description('check configuration, engines, backlog and disk; exit code 1 if a check fails')
    .option('--accept-loss', 'mark documents whose content is missing as failed, and let the views continue')
    .action(async (options: CommonOptions & { readonly acceptLoss?: boolean }) => {
      for await (const line of lines('doctor', options, { acceptLoss: options.acceptLoss ?? false })) {
        if (line.done === true && line.sound !== true) process.exitCode = 1;
        if (options.json) jsonLine(stdout, line);
        else if (line.done === true) {
          const engines = Object.entries(line.engines ?? {}).map(([name, version]) => `, ${name} ${plain(version)}`);
          const own = `Mneme ${line.version}, role ${line.role}, Node ${line.node}, SQLite ${line.sqlite}`;
          stdout.write(`${own}${engines.join('')}\n`);
        } else {
          stdout.write(
            `${(SIGNS[String(line.state)] ?? '?').padEnd(7)}${String(line.name).padEnd(18)}${plain(line.detail)}\n`,
          );
          for (const more of [line.about, line.advice]) {
            if (more !== undefined) stdout.write(`${' '.repeat(25)}${plain(more)}\n`);
          }
        }
      }
    });
}

export function addOperations(program: Command): void {
  addGeneralHelp(program);
  addKeys(program);
  addTeam(program);
  addOrganizations(program);
  addQuotas(program);
  addSecrets(program);
  addEvents(program);
  addDeadLetters(program);
  addRebuilds(program);
  addReprocess(program);
  addPurge(program);
  addOrphans(program);
  addBackups(program);
  addTransfers(program);
  addDoctor(program);
  addConnect(program);
  addConnections(program);
  addMcp(program);
  addInit(program);
}

function addInit(program: Command): void {
  withCommon(program.command('init'))
    .description('create the streams on NATS that hold data, empty, if they do not exist')
    .action(async (options: CommonOptions) => {
      await print('init', options, {}, ({ stream, state, created }) => {
        if (stream !== undefined) return `${plain(stream)}  ${state === 'created' ? 'created, empty' : 'exists'}`;
        return created === 0 ? 'Nothing had to be created.' : `Streams created: ${created}.`;
      });
    });
}

function addGeneralHelp(program: Command): void {
  program.addHelpText(
    'after',
    `
Commands use the server that runs on the data folder; without a server they open the data folder themselves. Distributed
engines are configured as for the server: MNEME_EVENTSTORE_URL, MNEME_NATS_URL, MNEME_OPENSEARCH_URL.`,
  );
}
