import { IssuedKeys, KeyRepository, OrganizationRepository } from '#features/access';
import { ConnectionRepository } from '#features/connections';
import { ContainerTagRepository, TagLocks, TagMergeRepository, withTagLocks } from '#features/container-tags';
import {
  BulkDeletions,
  DeletionLog,
  DocumentDeletion,
  DocumentRepository,
  DocumentTexts,
  Erasure,
  FileLinks,
  parseDocumentStream,
  UploadLinks,
} from '#features/documents';
import { KnownQuotas, QuotaRepository } from '#features/quotas';
import { KnownSessions, SessionAccess, SessionRepository } from '#features/sessions';
import { SettingsRepository } from '#features/settings';
import { Team, TeamRepository } from '#features/team';
import { AskedContainers, DEFAULT_GROUP, VectorSpaces } from '#features/vector-spaces';
import type { Config } from '#platform/config';
import type { Clock } from '#platform/kernel';
import type { MasterKeys } from '#platform/sealing';
import { type Metrics, timed } from '#platform/telemetry';
import { createCommandHandler, createFoldCache, type EventStore } from '#ports/event-store';
import type { Secrets } from '#ports/secrets';
import { CurrentViews } from '#read-side/views';
import { upcasters, WRITES } from './catalogue.ts';
import { keptInWork } from './kept-in-work.ts';
import { checkMasterKeys, masterKeysOf, secretsOf } from './secrets.ts';
import { openStorage, type Storage } from './storage/open-storage.ts';
import { findNamedIn } from './views/find-named.ts';
import type { ViewsLogger } from './views/foreign-views.ts';
import { openViews } from './views/open-views.ts';
import type { OpenViews } from './views/views.ts';

/** What every process works with, whatever its role: the engines, and documents on top of them. */
export interface Parts {
  readonly storage: Storage;
  readonly views: OpenViews;
  readonly documents: DocumentRepository;
  readonly connections: ConnectionRepository;
  readonly containerTags: ContainerTagRepository;
  readonly tagMerges: TagMergeRepository;
  /** Of running merges; each append of this process is checked against them. */
  readonly tagLocks: TagLocks;
  readonly settings: SettingsRepository;
  /** Filled when the log is read at the start. */
  readonly keys: IssuedKeys;
  readonly keyRepository: KeyRepository;
  /** Filled with the keys. */
  readonly team: Team;
  readonly teamRepository: TeamRepository;
  /** Filled with the keys. */
  readonly sessions: KnownSessions;
  readonly sessionAccess: SessionAccess;
  readonly sessionRepository: SessionRepository;
  readonly organizations: OrganizationRepository;
  /** Filled with the keys. */
  readonly quotas: KnownQuotas;
  readonly quotaRepository: QuotaRepository;
  readonly fileLinks: FileLinks;
  readonly uploadLinks: UploadLinks;
  readonly spaces: VectorSpaces;
  readonly asked: AskedContainers;
  readonly texts: DocumentTexts;
  readonly erasure: Erasure;
  readonly deletion: DocumentDeletion;
  readonly deletionLog: DeletionLog;
  readonly bulkDeletions: BulkDeletions;
  /** Seal secrets and backups. */
  readonly masterKeys: MasterKeys;
  readonly secrets: Secrets;
  close(): Promise<void>;
}

export interface PartsOptions {
  readonly clock: Clock;
  readonly logger: ViewsLogger;
  /** Null or absent: nothing is recorded. */
  readonly metrics?: Metrics | null;
}

/** Of the folds of streams without work that are kept in memory, as `createFoldCache` counts them. */
const FOLDED_CHARACTERS = 2_000_000;

/** @throws DataFolderInUseError, NewerSchemaError, OlderSchemaError; KeyFileError, MasterKeyMissingError; the error of an engine that cannot be reached */
export async function openParts(config: Config, options: PartsOptions): Promise<Parts> {
  const storage = await openStorage(config, (message) => options.logger.warn(message));
  try {
    await checkMasterKeys(config);
    await adoptInitialSpace(storage.store, options);
    return partsOn(storage, await openViews(storage, options), options);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** The first event of a new log says which vector space it begins with, for versions that begin with another one. */
async function adoptInitialSpace(store: EventStore, { clock }: Pick<PartsOptions, 'clock'>): Promise<void> {
  const { events } = await store.readAll({ after: null, limit: 1, envelopesOnly: true });
  if (events.length > 0) return;
  await new VectorSpaces(
    createCommandHandler({ store, clock, cache: createFoldCache({ characters: FOLDED_CHARACTERS }), upcasters }),
  ).adopt(DEFAULT_GROUP);
}

/** What every process works with, on top of open engines, which are closed with it. */
export function partsOn(storage: Storage, views: OpenViews, options: Omit<PartsOptions, 'logger'>): Parts {
  const { clock, metrics = null } = options;
  const { store, blobs, vectors } = storage;
  const inWork = keptInWork(storage.settings);
  const cache = createFoldCache({ characters: FOLDED_CHARACTERS, inWork });
  const tagLocks = new TagLocks(WRITES);
  const team = new Team(clock);
  const quotas = new KnownQuotas();
  const sessions = new KnownSessions(clock);
  const keys = new IssuedKeys([], clock, team, [quotas, sessions]);
  const checked = withTagLocks(withErasuresCounted(store, metrics), tagLocks, (events) =>
    keys.organizations.refusal(events),
  );
  const handler = createCommandHandler({ store: checked, clock, cache, upcasters });
  const findNamed = findNamedIn(new CurrentViews(views.reader, views.progress, store));
  const documents = new DocumentRepository(handler, findNamed);
  const deletion = new DocumentDeletion(documents);
  const deletionLog = new DeletionLog(handler);
  const masterKeys = masterKeysOf(storage.settings);
  const secrets = secretsOf(storage, masterKeys, clock);
  return {
    storage,
    views,
    documents,
    deletion,
    deletionLog,
    bulkDeletions: new BulkDeletions({ store, log: deletionLog, deletion }),
    connections: new ConnectionRepository(handler),
    containerTags: new ContainerTagRepository(handler),
    tagMerges: new TagMergeRepository(handler, tagLocks),
    tagLocks,
    settings: new SettingsRepository(handler, secrets),
    keys,
    keyRepository: new KeyRepository(handler, keys),
    team,
    teamRepository: new TeamRepository(handler, team),
    sessions,
    sessionAccess: new SessionAccess({ sessions, keys, members: team, clock }),
    sessionRepository: new SessionRepository(handler, sessions, clock),
    organizations: new OrganizationRepository(handler, keys.organizations),
    fileLinks: new FileLinks(handler, clock, (organization) => keys.organizations.stateOf(organization) === 'active'),
    uploadLinks: new UploadLinks(handler, clock),
    quotas,
    quotaRepository: new QuotaRepository(handler, quotas),
    spaces: new VectorSpaces(handler),
    asked: new AskedContainers(handler),
    texts: new DocumentTexts(blobs),
    erasure: new Erasure(blobs, vectors),
    masterKeys,
    secrets,
    close: async () => {
      try {
        await views.close();
        await secrets.close();
      } finally {
        await storage.close();
      }
    },
  };
}

function withErasuresCounted(store: EventStore, metrics: Metrics | null): EventStore {
  if (metrics === null) return store;
  return timed(store, {
    append: (_seconds, result, stream, _events, { erase = false }) => {
      if (erase && result.ok && parseDocumentStream(stream) !== null) metrics.documentErased();
    },
  });
}
