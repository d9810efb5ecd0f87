import { setTimeout as pause } from 'node:timers/promises';
import type { ExpectedDocument } from '../model/expected.ts';
import { Client, type ClientTools } from './client.ts';
import { race } from './race.ts';
import { list, readRecord, requestForeign, search, searchDeleted } from './reads.ts';
import { add, deleteDocument, update, upload } from './writes.ts';

/** Clients of each key. */
const CLIENTS = 2;
/** Most live documents of a client, so that the comparison at the end stays short. */
const MOST_LIVE = 60;
/** Between two requests of a client. */
const PAUSE_MS = [0, 150] as const;

interface Action {
  readonly weight: number;
  run(client: Client): Promise<unknown>;
}

const ACTIONS: readonly Action[] = [
  { weight: 6, run: (client) => add(client, client.create(client.tools.random.chance(0.5))) },
  { weight: 1, run: (client) => upload(client, client.create(false)) },
  { weight: 4, run: addAgain },
  { weight: 4, run: (client) => withLive(client, update) },
  { weight: 4, run: (client) => withLive(client, deleteAndLook) },
  { weight: 1, run: race },
  { weight: 5, run: (client) => withLive(client, readRecord) },
  { weight: 5, run: (client) => withLive(client, search) },
  { weight: 2, run: list },
  { weight: 2, run: requestForeign },
];

/** Makes random requests with one key until the signal; requests under way are completed. */
export async function runClients(tools: ClientTools, stopping: AbortSignal): Promise<void> {
  const clients = Array.from({ length: CLIENTS }, (_, n) => new Client(String(n), tools));
  await Promise.all(
    clients.map(async (client) => {
      while (!stopping.aborted) {
        if (client.live.length > MOST_LIVE) await withLive(client, deleteAndLook);
        else await tools.random.weighted(ACTIONS).run(client);
        await pause(tools.random.int(...PAUSE_MS));
      }
    }),
  );
}

async function withLive(
  client: Client,
  run: (client: Client, document: ExpectedDocument) => Promise<unknown>,
): Promise<void> {
  const { live } = client;
  if (live.length > 0) await run(client, client.tools.random.pick(live));
}

/** Adds a text for a customId, whose document exists or is deleted. */
async function addAgain(client: Client): Promise<void> {
  const { named } = client;
  if (named.length === 0) return;
  const document = client.tools.random.pick(named);
  await add(client, document.mustBeAbsent ? client.recreate(document) : document);
}

async function deleteAndLook(client: Client, document: ExpectedDocument): Promise<void> {
  const deletion = await deleteDocument(client, document);
  if (deletion === null) return;
  await readRecord(client, document);
  await searchDeleted(client, document, deletion);
  const isUsedAgain = document.customId !== null && client.tools.random.chance(0.5);
  if (!isUsedAgain) client.drop(document);
}
