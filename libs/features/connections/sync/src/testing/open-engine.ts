import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, ConnectionRepository, NO_FILTERS } from '#features/connections';
import { DocumentTexts } from '#features/documents';
import { newId, type OrganizationId, ok, Scratch, systemClock, systemScope } from '#platform/kernel';
import type { Connector } from '#ports/connectors';
import {
  createCommandHandler,
  createFoldCache,
  type Position,
  SqliteEventStore,
  systemCause,
} from '#ports/event-store';
import { InProcessLeases } from '#ports/leases';
import { Projector, READ_MODELS, runProjection } from '#read-side/projections';
import { SqliteViewsReader, SqliteViewsWriter } from '#read-side/views';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { KnownItems } from '../known-items.ts';
import type { ConnectionDocuments, ItemDocument } from '../options.ts';
import { runConnections } from '../run-connections.ts';

export const ORGANIZATION = 'organizationA' as OrganizationId;

interface StoredDocument extends Omit<ItemDocument, 'file'> {
  readonly id: string;
  readonly text: string;
  readonly sha256: string;
  isDeleted: boolean;
}

/** Documents in memory, as the use cases would make them. */
class StandInDocuments implements ConnectionDocuments {
  readonly all: StoredDocument[] = [];
  /** Names of documents, each time that one was processed. */
  readonly processed: string[] = [];
  /** Answers in place of the next calls that add. */
  readonly refusals: (string | Error)[] = [];

  get live(): readonly StoredDocument[] {
    return this.all.filter(({ isDeleted }) => !isDeleted);
  }

  texts(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.live.map(({ filepath, text }) => [filepath, text]));
  }

  async put(_connection: unknown, { file, ...document }: ItemDocument) {
    const refusal = this.refusals.shift();
    if (refusal instanceof Error) throw refusal;
    if (refusal !== undefined) return { ok: false as const, error: refusal };
    const known = this.live.find(({ customId }) => customId === document.customId);
    const id = known?.id ?? newId();
    if (known?.sha256 !== file.sha256) this.processed.push(document.filepath);
    const stored = { ...document, id, text: await readFile(file.path, 'utf8'), sha256: file.sha256, isDeleted: false };
    if (known === undefined) this.all.push(stored);
    else Object.assign(known, stored);
    return ok({ id });
  }

  async describe(_connection: unknown, id: string, details: object) {
    const known = this.live.find((one) => one.id === id);
    if (known === undefined) return { ok: false as const, error: 'not_found' };
    Object.assign(known, details);
    return ok(null);
  }

  async remove(_connection: unknown, id: string) {
    const known = this.live.find((one) => one.id === id);
    if (known === undefined) return { ok: false as const, error: 'not_found' };
    known.isDeleted = true;
    return ok(null);
  }
}

/** The engine of connections on a log and views in a temporary folder. */
export async function openEngine(connectors: readonly Connector[]) {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-connections-'));
  const store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  const tables = READ_MODELS.flatMap(({ table }) => table ?? []);
  const writer = SqliteViewsWriter.open({ path: join(folder, 'views.db'), tables });
  const reader = SqliteViewsReader.open({ path: join(folder, 'views.db'), cacheBytes: 1 << 20 });
  const handler = createCommandHandler({
    store,
    clock: systemClock,
    cache: createFoldCache({ characters: 1_000_000 }),
  });
  const connections = new ConnectionRepository(handler);
  const documents = new StandInDocuments();
  const secrets = new Map<string, string>();
  const following = new AbortController();
  let position: Position | null = null;
  const faults: unknown[] = [];
  const projecting = runProjection({
    ...{ store, writer, documents: {} as never, signal: following.signal },
    projector: new Projector({
      ...{ store, texts: new DocumentTexts({} as never), vectors: { get: () => [] }, space: 'test/1/32' },
      models: READ_MODELS.filter(({ name }) => name.startsWith('connection')),
    }),
    onProgress: (reached) => {
      position = reached;
    },
    onFault: (fault) => faults.push(fault),
  });
  const progress = {
    reached: async (wanted: Position | null) => {
      await until(() => wanted === null || (position !== null && store.compare(position, wanted) >= 0));
      return true;
    },
  };
  const leases = new InProcessLeases();
  const warnings: string[] = [];
  const begin = () => {
    const stopping = new AbortController();
    const scratch = new Scratch(join(folder, 'scratch'));
    const running = runConnections({
      ...{ store, connections, documents, leases, scratch, clock: systemClock, signal: stopping.signal },
      connectors: new Map(connectors.map((connector) => [connector.provider, connector])),
      secrets: {
        get: async ({ name }) => secrets.get(name) ?? null,
        put: async ({ name }, value) => void secrets.set(name, value),
        delete: async ({ name }) => void secrets.delete(name),
        list: async (_organization, owner) =>
          [...secrets.keys()]
            .filter((name) => name.startsWith(`${owner}/`))
            .map((name) => ({ name, organization: ORGANIZATION, changedAt: 0, key: '', opens: true })),
      },
      views: { reader, progress },
      maxBytes: 10_000,
      isActive: () => true,
      logger: { info: () => {}, warn: (message) => void warnings.push(message) },
      timing: { checkpoint: 50, firstPause: 5, longestPause: 50 },
    });
    return async () => {
      stopping.abort();
      await running;
      await scratch.close();
    };
  };
  const stops: (() => Promise<void>)[] = [];
  const load = (id: string) => connections.load({ organization: ORGANIZATION, id });
  return {
    ...{ store, reader, connections, documents, secrets, warnings, faults, load },
    known: new KnownItems(reader, progress),
    progress,
    /** Begins to sync, as another process does each time. */
    start() {
      const stop = begin();
      stops.push(stop);
      return stop;
    },
    async connect(
      details: { readonly tags?: readonly string[]; readonly documentLimit?: number } & Partial<Connection> = {},
    ) {
      const id = newId();
      const { tags = ['a'], documentLimit = null, filters = NO_FILTERS, provider = 'scripted' } = details;
      const payload = { id, provider, setup: {}, metadata: { team: 'x' }, documentLimit, filters };
      await connections.create(systemScope(ORGANIZATION), systemCause(), tags, payload);
      return id;
    },
    /** Resolves with the connection when so many syncs have ended. */
    async synced(id: string, syncs = 1): Promise<Connection> {
      let found: Connection | null = null;
      await until(async () => {
        found = await load(id);
        return found !== null && found.syncs >= syncs && found.running === null;
      });
      return found as unknown as Connection;
    },
    async sync(id: string): Promise<Connection> {
      const { syncs } = (await load(id)) as Connection;
      await connections.request({ organization: ORGANIZATION, id }, systemCause(), 'manual');
      return this.synced(id, syncs + 1);
    },
    async close() {
      await Promise.all(stops.map((stop) => stop()));
      following.abort();
      await projecting;
      await reader.close();
      await writer.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

export type Engine = Awaited<ReturnType<typeof openEngine>>;
