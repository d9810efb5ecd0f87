import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BulkDeletions,
  ConversationPictures,
  DeletionLog,
  DocumentContents,
  DocumentDeletion,
  type DocumentEvent,
  DocumentRepository,
  DocumentTexts,
  documentStream,
  Erasure,
  FileLinks,
  OPENINGS,
  PastDocuments,
  parseDocumentStream,
} from '#features/documents';
import { Admission, IdempotencyKeys } from '#features/documents/requests';
import { DEFAULT_GROUP, GroupEmbedder, Questions, SpaceEmbedders } from '#features/vector-spaces';
import { type Clock, type OrganizationId, ok, type Principal, systemScope, type TagSelection } from '#platform/kernel';
import { DiskBlobStore } from '#ports/blobs';
import {
  createCommandHandler,
  createFoldCache,
  type EventStore,
  type Position,
  SqliteEventStore,
  systemCause,
} from '#ports/event-store';
import { EmbedderOff } from '#ports/models';
import type { VectorStore } from '#ports/vector-store';
import { KnownHits, PastMemories } from '#read-side/as-of';
import { toRow } from '#read-side/projections';
import {
  CurrentViews,
  type DocumentRow,
  READER_METHODS,
  RecentDeletions,
  SqliteViewsReader,
  SqliteViewsWriter,
  type UnitSet,
} from '#read-side/views';
import { AddDocument, type NewDocument } from './add-document/add-document.command.ts';
import { AddDocumentHandler } from './add-document/add-document.handler.ts';
import { DraftedAdds } from './add-document/drafted-adds.ts';
import { RecentAdds } from './add-document/recent-adds.ts';
import { SaidAgain } from './add-document/said-again.ts';
import { StoredContents } from './add-document/stored-contents.ts';
import { AddDocuments, type NewText } from './add-documents/add-documents.command.ts';
import { AddDocumentsHandler } from './add-documents/add-documents.handler.ts';
import type { Attempt } from './attempt.ts';
import { JointRecorder } from './joint-recorder.ts';
import { SaveConversation, type SentConversation } from './save-conversation/save-conversation.command.ts';
import { SaveConversationHandler } from './save-conversation/save-conversation.handler.ts';

/** Builders for specs of use cases; only specs import them. */

export const ORGANIZATION = 'organizationA' as OrganizationId;

/** A principal whose key may read and write these tags. */
export const principalOf = (tags: TagSelection, details: Partial<Principal> = {}): Principal => ({
  ...{ organization: ORGANIZATION, keyId: 'key-1', role: 'member', tags, writableTags: tags },
  ...details,
});

export const OWNER = principalOf('all', { role: 'owner' });
export const OF_OTHER_ORGANIZATION = principalOf('all', { organization: 'organizationB' as OrganizationId });

export const newDocument = (tags: readonly string[], details: Partial<NewDocument> = {}): NewDocument => ({
  ...{ content: 'The kettle is blue.', customId: null, tags, metadata: null, filepath: null },
  ...{ taskType: 'memory', documentDate: null },
  ...details,
});

/** Of an organization without quotas. */
export const NO_QUOTAS: ConstructorParameters<typeof Admission>[2] = {
  areSet: () => false,
  take: async () => ({ end: () => {} }),
  check: async () => {},
};

/** A clock that moves only when it is advanced. */
class TestClock implements Clock {
  #now = Date.parse('2026-01-02T03:04:05.678Z');

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

const NO_VECTORS = { release: async () => {} } as Partial<VectorStore> as VectorStore;

/** The views of the tests are not written from the log. @returns ids of all documents, the oldest first */
async function everyDocumentIn(store: EventStore): Promise<readonly string[]> {
  const { events } = await store.readAll({ after: null, limit: 10_000, filter: { types: ['DocumentAdded'] } });
  return events.flatMap(({ stream }) => parseDocumentStream(stream)?.id ?? []);
}

/**
 * What handlers of use cases work with: a log, blobs and views in a temporary folder.
 * @param options.behaviour changes the log as handlers see it
 */
export async function openUseCases({ behaviour = {} }: { readonly behaviour?: Partial<EventStore> } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-use-cases-'));
  const clock = new TestClock();
  const store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  const blobs = await DiskBlobStore.open(join(folder, 'blobs'));
  const writer = SqliteViewsWriter.open({ path: join(folder, 'views.db') });
  const views = SqliteViewsReader.open({ path: join(folder, 'views.db'), cacheBytes: 1 << 20 });
  const cache = createFoldCache({ characters: 1_000_000 });
  const log = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(behaviour, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const commands = createCommandHandler({ store: log, clock, cache });
  const documents = new DocumentRepository(commands, () => everyDocumentIn(store));
  const deletion = new DocumentDeletion(documents);
  const deletionLog = new DeletionLog(commands);
  const texts = new DocumentTexts(blobs);
  let areViewsCurrent = true;
  const progress = { reached: async () => areViewsCurrent };
  const contents = new StoredContents(texts, blobs);
  const erasure = new Erasure(blobs, NO_VECTORS);
  /** Documents that may be added before the backlog is full. */
  let room = Number.POSITIVE_INFINITY;
  const backlog = { full: (adding = 1) => adding > room };
  const storage = { assertWritable: () => {} };
  const keys = new IdempotencyKeys(documents, clock);
  const currentViews = new CurrentViews(views, progress, store);
  const recorder = new JointRecorder(documents, deletion, erasure);
  const admission = new Admission(backlog, storage, NO_QUOTAS);
  const saidAgain = new SaidAgain(documents, texts, currentViews, clock);
  const drafts = new DraftedAdds(documents, texts, contents, saidAgain, clock);
  const startedProcess = () => {
    const recentAdds = new RecentAdds(documents, currentViews, clock);
    return {
      addDocument: new AddDocumentHandler(documents, drafts, recorder, erasure, recentAdds, keys, admission),
      addDocuments: new AddDocumentsHandler(documents, drafts, recorder, recentAdds, keys, admission),
    };
  };
  let process = startedProcess();
  const saveConversation = new SaveConversationHandler(
    ...[drafts, texts, contents, saidAgain, new ConversationPictures(blobs, texts), recorder, keys],
    admission,
    clock,
  );
  const past = new PastDocuments(documents, texts);
  const documentContents = new DocumentContents(documents, texts);
  let positions = 0;

  const add = (principal: Principal, document: NewDocument, idempotencyKey: string | null = null, isRetry = false) =>
    process.addDocument.execute(new AddDocument(principal, document, idempotencyKey, isRetry));

  return {
    clock,
    store,
    documents,
    drafts,
    texts,
    blobs,
    fileLinks: new FileLinks(commands, clock),
    views,
    /** Search by words alone. */
    questions: new Questions(
      new SpaceEmbedders([new GroupEmbedder(DEFAULT_GROUP, () => new EmbedderOff(), 'none')]),
      ...([views, { report: () => {} }] as const),
    ),
    currentViews,
    contents: documentContents,
    past,
    pastMemories: new PastMemories(documents, past, documentContents),
    knownHits: new KnownHits({ documents, past, contents: documentContents, clock }),
    deletions: new RecentDeletions(progress),
    erasure,
    recorder,
    admission,
    deletion,
    deletionLog,
    bulkDeletions: new BulkDeletions({ store, log: deletionLog, deletion }),
    /** What `runDeletions` works with. */
    runOptions: {
      ...{ store, deletions: deletionLog, documents, erasure, views: { reader: views, progress } },
      hide: () => {},
      eraseValues: async () => {},
      logger: { warn: (message: string) => void message },
    },
    add,
    addAll: (
      principal: Principal,
      items: readonly NewDocument[],
      idempotencyKey: string | null = null,
      isRetry = false,
    ) =>
      process.addDocuments.execute(new AddDocuments(principal, items as readonly NewText[], idempotencyKey, isRetry)),
    save: (
      principal: Principal,
      conversation: SentConversation,
      { idempotencyKey = null, isRetry = false }: Partial<Attempt> = {},
      pictures: ReadonlyMap<string, string> = new Map(),
    ) => saveConversation.execute(new SaveConversation(principal, conversation, { idempotencyKey, isRetry }, pictures)),
    /** What is added from now on is added by another process. */
    restart(): void {
      process = startedProcess();
    },
    /** The views no longer catch up with the log in time. */
    delayViews(): void {
      areViewsCurrent = false;
    },
    /** From now on, no read of the views is answered. @returns the methods that are called */
    suspendViews(): readonly string[] {
      const called: string[] = [];
      const { close: _, ...reads } = READER_METHODS;
      for (const method of Object.keys(reads)) {
        Object.assign(views, { [method]: () => new Promise<never>(() => called.push(method)) });
      }
      return called;
    },
    /** Limits how many documents may be added before the backlog is full. */
    limitBacklog(count: number): void {
      room = count;
    },
    /** Adds a document as the owner. @returns its id */
    async added(...args: Parameters<typeof newDocument>): Promise<string> {
      const added = await add(OWNER, newDocument(...args));
      if (!added.ok) throw new Error(`the document is refused: ${added.error}`);
      return added.value.id;
    },
    async append(id: string, ...events: readonly DocumentEvent[]): Promise<void> {
      await documents.change(systemScope(ORGANIZATION), id, systemCause(), () => ok(events));
    },
    async changeTags(id: string, tags: readonly string[]): Promise<void> {
      const events = [{ type: 'DetailsChanged', payload: {} }] as const;
      await documents.change(systemScope(ORGANIZATION), id, systemCause(), () => ok({ events, tags }));
    },
    async eventTypes(id: string): Promise<readonly string[]> {
      const { events } = await store.readStream(documentStream(ORGANIZATION, id));
      return events.map(({ envelope }) => envelope.type);
    },
    /** Writes the rows of all live documents. */
    async project(): Promise<void> {
      const { events } = await store.readAll({ after: null, limit: 10_000, filter: { types: OPENINGS } });
      const rows: [DocumentRow][] = [];
      for (const { stream, revision } of events) {
        const { organization = '', id = '' } = parseDocumentStream(stream) ?? {};
        const state = await documents.load(systemScope(organization), id);
        if (state.status === 'live') rows.push([toRow(state, revision)]);
      }
      await this.show(...rows);
    },
    /** The type of each event in the log, and its stream. */
    async log() {
      const { events } = await store.readAll({ after: null, limit: 1_000 });
      return events.map(({ stream, envelope }) => ({ type: envelope.type, stream }));
    },
    /** Of the last event in the log: unchanged if nothing was appended. */
    head: () => store.head(),
    /** Writes rows of the views. */
    async show(...rows: readonly (readonly [DocumentRow, UnitSet?])[]): Promise<void> {
      const changes = rows.map(([row, units]) => ({ kind: 'upsert', row, ...(units && { units }) }) as const);
      positions += 1;
      await writer.apply(changes, `test:${positions}` as Position);
    },
    async close(): Promise<void> {
      await views.close();
      await writer.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

export type UseCases = Awaited<ReturnType<typeof openUseCases>>;
