import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { JsonObject } from '#platform/kernel';
import { jsonLine, plain, progressBar } from './output.ts';
import { Served, type ServedOptions, withServer } from './served.ts';

const { stdout, stderr } = process;

const LOOK_MS = 300;

export interface ConnectionOptions extends ServedOptions {
  readonly json?: boolean;
}

interface Run {
  readonly id: string;
  readonly status: string;
  readonly startedAt: string;
  readonly itemsFound: number;
  readonly itemsProcessed: number;
  readonly itemsFailed: number;
  readonly bytes: number;
  readonly error: string | null;
}

export const withConnections = (command: Command): Command => withServer(command).option('--json', 'print JSON lines');

const textOf = ({ id, provider, status, containerTags, error }: JsonObject): string =>
  `${id}  ${plain(provider)}  ${status}  ${(containerTags as string[]).map(plain).join(', ')}${error === null ? '' : `  ${plain(error)}`}`;

const runText = ({ startedAt, status, itemsFound, itemsProcessed, itemsFailed, bytes, error }: Run): string => {
  const counts = `${itemsFound} found, ${itemsProcessed} changed, ${itemsFailed} failed, ${bytes} bytes`;
  return `${startedAt}  ${status}  ${counts}${error === null ? '' : `  ${plain(error)}`}`;
};

const runsOf = (served: Served, id: string): Promise<readonly Run[]> =>
  served.ask('GET', `/v3/connections/${encodeURIComponent(id)}/sync-runs`);

/** Shows a sync that begins now as a bar, until it has ended. @param known ids of those before; exit code 1 if it fails */
export async function showSync(
  served: Served,
  id: string,
  known: readonly string[],
  options: ConnectionOptions,
): Promise<void> {
  const bar = progressBar(stderr, 'items');
  for (;;) {
    const run = (await runsOf(served, id)).find((one) => !known.includes(one.id));
    if (run !== undefined) {
      const failed = run.itemsFailed === 0 ? '' : `, ${run.itemsFailed} failed`;
      bar.show(run.itemsProcessed + run.itemsFailed, run.itemsFound, failed);
      if (run.status !== 'running') {
        bar.end();
        if (run.status !== 'completed') process.exitCode = 1;
        if (options.json) jsonLine(stdout, run as unknown as JsonObject);
        else stdout.write(`${runText(run)}\n`);
        return;
      }
    }
    await pause(LOOK_MS);
  }
}

export function addConnections(program: Command): void {
  const connections = program
    .command('connections')
    .description('connections to sources of a running server: list, show, sync, confirm and delete them');
  withConnections(connections.command('list', { isDefault: true }))
    .description('list the connections with their states')
    .action(async (options: ConnectionOptions) => {
      const served = await Served.of(options);
      for (const one of await served.ask<readonly JsonObject[]>('POST', '/v3/connections/list', {})) {
        if (options.json) jsonLine(stdout, one);
        else stdout.write(`${textOf(one)}\n`);
      }
    });
  withConnections(connections.command('show <id>'))
    .description('show a connection, its last syncs, and the items that cannot be read')
    .action(async (id: string, options: ConnectionOptions) => {
      const served = await Served.of(options);
      const path = `/v3/connections/${encodeURIComponent(id)}`;
      const connection = await served.ask('GET', path);
      const runs = await runsOf(served, id);
      const failed = await served.ask<{ readonly items: readonly JsonObject[] }>('GET', `${path}/items?status=failed`);
      if (options.json) return jsonLine(stdout, { ...connection, runs: runs as never, failed: failed.items as never });
      stdout.write(`${textOf(connection)}\n`);
      for (const run of runs.slice(0, 5)) stdout.write(`  ${runText(run)}\n`);
      for (const { path: at, error } of failed.items) stdout.write(`  failed: ${plain(at)}: ${plain(error)}\n`);
      if (Number(connection.itemsToConfirm) > 0) {
        stdout.write(
          `Confirm the removal of ${connection.itemsToConfirm} items: mneme connections confirm ${plain(id)}\n`,
        );
      }
    });
  withConnections(connections.command('sync <id>'))
    .description('sync a connection now, the whole of its source; exit code 1 if that fails')
    .action(async (id: string, options: ConnectionOptions) => {
      const served = await Served.of(options);
      const path = `/v3/connections/${encodeURIComponent(id)}`;
      const known = (await runsOf(served, id)).map((run) => run.id);
      await served.ask('POST', `${path}/sync`);
      await showSync(served, id, known, options);
    });
  withConnections(connections.command('confirm <id>'))
    .description('permit the next sync to remove what is gone at the source although it is much, and begin it')
    .action(async (id: string, options: ConnectionOptions) => {
      const served = await Served.of(options);
      const known = (await runsOf(served, id)).map((run) => run.id);
      await served.ask('POST', `/v3/connections/${encodeURIComponent(id)}/confirm`);
      await showSync(served, id, known, options);
    });
  withConnections(connections.command('delete <id>'))
    .description('end a connection and delete its documents')
    .option('--keep-documents', 'the documents stay')
    .action(async (id: string, options: ConnectionOptions & { readonly keepDocuments?: boolean }) => {
      const served = await Served.of(options);
      const query = options.keepDocuments ? '?deleteDocuments=false' : '';
      const deleted = await served.ask('DELETE', `/v3/connections/${encodeURIComponent(id)}${query}`);
      if (options.json) jsonLine(stdout, deleted);
      else stdout.write(`${plain(id)} is deleted.\n`);
    });
}
