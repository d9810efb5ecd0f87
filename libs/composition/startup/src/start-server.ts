import {
  analyticsOf,
  type Connectors,
  connectorsOf,
  EngineHealth,
  EngineOutages,
  KeptStreamsWatch,
  keepsFolder,
  keyUsesOf,
  openParts,
  openRateLimiter,
  type Parts,
  projectionLagSeconds,
  quotaCountsOf,
} from '#composition/runtime';
import { type IssuedKeys, type OwnerKey, openAccess } from '#features/access';
import type { ConnectionFlows } from '#features/connections/authorization';
import { Admission } from '#features/documents/requests';
import type { AuthorizationServer } from '#features/oauth';
import type { Provider } from '#features/proxy';
import type { OrganizationQuotas } from '#features/quotas';
import type { SignInDomains } from '#features/sessions';
import { DEFAULT_GROUP, LANGUAGES_GROUP, type SpaceEmbedders } from '#features/vector-spaces';
import { type Config, readVersion } from '#platform/config';
import { type Run, serveControl } from '#platform/control-socket';
import { type Clock, Scratch, systemClock } from '#platform/kernel';
import type { Mailer } from '#platform/mail';
import type { OidcProvider } from '#platform/oidc';
import { checkListening, createLogger, type Logger, type Metrics, openMetrics, timed } from '#platform/telemetry';
import { TokenCounters } from '#platform/tokens';
import type { Analytics } from '#ports/analytics';
import type { KeyUses } from '#ports/key-uses';
import type { RateLimiter } from '#ports/rate-limit';
import { openReranker, type Reranker } from '#ports/rerank';
import { RecentDeletions, type ViewsReader, withoutDeleted } from '#read-side/views';
import { checkFolders } from './check-folders.ts';
import { ClosedSecrets } from './closed-secrets.ts';
import { confirmKeys } from './confirm-keys.ts';
import type { WorkApplication } from './connection-work.ts';
import { DiskGuard } from './disk-guard.ts';
import { followOthers, hideDeleted, lockMergingTags } from './follow-others.ts';
import { forgetFigures } from './forget-figures.ts';
import { openAuthorizationServer } from './open-authorization-server.ts';
import { openConnectionFlows } from './open-connection-flows.ts';
import { openMailer } from './open-mailer.ts';
import { openOidc, signInDomainsOf } from './open-oidc.ts';
import { PolledBacklog } from './polled-backlog.ts';
import { proxyProvidersOf } from './proxy-providers.ts';
import { quotasOf } from './quotas-of.ts';
import { ServerHealth } from './server-health.ts';
import { startEmbedders } from './start-embedders.ts';
import { followSpaces, openWork, type Work, type WorkOptions } from './start-work.ts';

/** Empty engines get their views from the first holder of the lease; until then no search can be answered. */
const VIEWS_MADE_WITHIN_MS = 5_000;

/** What the application of a server is made of. */
export interface ServerRuntime {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly parts: Parts;
  /** An existing folder, of this process alone. */
  readonly uploadFolder: string;
  readonly keys: IssuedKeys;
  readonly embedders: SpaceEmbedders;
  readonly reranker: Reranker;
  readonly tokenCounters: TokenCounters;
  /** Null in the role `api`: other processes do the work. */
  readonly work: Work | null;
  readonly backlog: { full(): boolean };
  readonly guard: DiskGuard;
  readonly admission: Admission;
  readonly connectors: Connectors;
  readonly health: ServerHealth;
  readonly deletions: RecentDeletions;
  /** The views without what was deleted and they still show. */
  readonly reader: ViewsReader;
  readonly rateLimiter: RateLimiter;
  readonly keyUses: KeyUses;
  readonly quotas: OrganizationQuotas;
  /** Null: no mail is sent. */
  readonly mailer: Mailer | null;
  /** Null: nobody signs in by a provider. */
  readonly oidc: OidcProvider | null;
  readonly signInDomains: SignInDomains;
  /** Null: applications get no access by OAuth. */
  readonly authorizationServer: AuthorizationServer | null;
  /** Null: nobody permits connections here. */
  readonly connectionFlows: ConnectionFlows | null;
  readonly analytics: Analytics;
  /** To which calls of language models are passed on; null: to none. */
  readonly providers: readonly Provider[] | null;
  /** Null: metrics are off. */
  readonly metrics: Metrics | null;
}

/** The application around a runtime, ready to listen. */
export interface Edge {
  /** @returns the URL that it listens on */
  listen(): Promise<string>;
  close(): Promise<void>;
}

/** What an application adds to a runtime. */
export interface Application extends WorkApplication {
  openEdge(runtime: ServerRuntime): Promise<Edge>;
  /** Answers what an operator asks for over the control socket. */
  operate(context: ServerContext, ...call: Parameters<Run>): ReturnType<Run>;
}

/** What the operations of a running server work on. */
export interface ServerContext {
  readonly config: Config;
  readonly parts: Parts;
  readonly clock: Clock;
  readonly server: {
    readonly embedders: SpaceEmbedders;
    readonly reranker: Reranker;
    readonly startedAt: number;
  };
}

/** Functions by which a server opens its engines and starts its embedders. */
export interface ServerFactories {
  readonly parts: typeof openParts;
  readonly embedders: typeof startEmbedders;
  /** What runs the jobs for files and long texts; undefined: child processes of its own. */
  readonly pool: WorkOptions['pool'];
}

export interface RunningServer {
  readonly url: string;
  readonly ownerKey: OwnerKey;
  /** Resolves with the reason why the process cannot go on. Undefined: nothing can end it. */
  readonly failed: Promise<Error> | undefined;
  close(): Promise<void>;
}

/**
 * Opens the engines, starts every part in the order of their dependencies, and listens. In the role `api` the work behind
 * the API is left to other processes.
 * @param opening in place of the engines, models and processes of the settings
 * @throws DataFolderInUseError if another server works on the folder; ListenError
 */
export async function startServer(
  config: Config,
  application: Application,
  opening: ServerFactories = { parts: openParts, embedders: startEmbedders, pool: undefined },
): Promise<RunningServer> {
  const opened = new AsyncDisposableStack();
  try {
    return await start(config, application, opening, opened);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function start(
  config: Config,
  application: Application,
  opening: ServerFactories,
  opened: AsyncDisposableStack,
): Promise<RunningServer> {
  const logger = createLogger(config.logLevel);
  const clock = systemClock;
  const version = readVersion();
  const providers = proxyProvidersOf(config);
  checkFolders(config);
  const metrics = await openMetrics(config.metrics);
  const parts = opened.adopt(await opening.parts(config, { clock, logger, metrics }), (one) => one.close());
  const outages = opened.adopt(EngineOutages.of(parts, { logger, clock }), (one) => one.close());
  logger.setGate(outages.gate);
  const { storage, views } = parts;
  const { store, files } = storage;
  await checkListening(config);
  const uploads = opened.adopt(new Scratch(files.uploads), (one) => one.close());
  await uploads.make();
  const headAtStart = await store.head();
  const { keys } = parts;
  const ownerKey = await openAccess({ store, clock, keys, apiKey: config.apiKey, keyFile: files.ownerKey });
  const embedders = opened.adopt(await opening.embedders(config, parts, logger, metrics), (one) => one.close());
  const embedder = embedders.of(DEFAULT_GROUP);
  const tokens = storage.nats === null ? { path: files.vectors } : { vectors: storage.vectors };
  const reranker = opened.adopt(await openReranker(config, { models: embedder, store: tokens }, logger), (one) =>
    one.close(),
  );
  const tokenCounters = opened.adopt(new TokenCounters(logger), (one) => one.close());
  const deletions = new RecentDeletions(views.progress);
  const hide: RecentDeletions['hide'] = (document, position) => deletions.hide(document, position);
  const { pool } = opening;
  const quotaCounts = await quotaCountsOf(storage);
  const quotas = opened.adopt(quotasOf(parts, { quotaCounts, clock, logger }), (one) => one.close());
  const ownWork = { config, parts, embedders, clock, logger, quotaCounts, hide, ...(pool && { pool }) };
  const work = config.role === 'all' ? await openWork(ownWork) : null;
  opened.defer(() => work?.tokens.close());
  opened.defer(() => work?.background.close());
  const streams = KeptStreamsWatch.of(storage);
  streams?.start();
  opened.defer(() => streams?.close());
  const keyUses = opened.adopt(await keyUsesOf(storage), (one) => one.close());
  const onLost = (requests: number) => metrics?.analyticsLost(requests);
  const analytics = opened.adopt(await analyticsOf(storage, { maxBytes: config.analyticsBytes, onLost }), (one) =>
    one.close(),
  );
  const guard = new DiskGuard(config.dataFolder, config.minFreeBytes, clock, streams);
  const engines = EngineHealth.of(parts);
  await hideDeleted({ store, views: views.reader, deletions });
  await lockMergingTags(store, parts.tagLocks);

  metrics?.setSources({
    queues: () => work?.background.pipeline.queues() ?? [],
    projectionLagSeconds: () => projectionLagSeconds({ store, reader: views.reader, clock }),
  });
  const backlog = backlogOf(config, parts, work, clock);
  const admission = new Admission(backlog, guard, quotas);
  const connectors = connectorsOf(config, { clock, logger });
  const edge = await application.openEdge({
    ...{ config, version, clock, logger, metrics, parts, keys, embedders, reranker, tokenCounters },
    ...{ work, backlog, guard, admission, connectors, deletions },
    uploadFolder: uploads.folder,
    health: new ServerHealth({
      ...{ version, embedder, languages: embedders.of(LANGUAGES_GROUP), reranker },
      ...{
        views,
        storage: guard,
        secrets: new ClosedSecrets(parts.secrets, clock),
        engines,
        headAtStart,
        extraction: work?.extraction ?? null,
      },
    }),
    reader: withoutDeleted(withSearchesTimed(views.reader, metrics), deletions),
    rateLimiter: await openRateLimiter(storage, logger),
    keyUses,
    quotas,
    mailer: await openMailer(config),
    oidc: await openOidc(config, { clock, logger }),
    authorizationServer: await openAuthorizationServer(config, parts.secrets),
    connectionFlows: await openConnectionFlows(config, parts.secrets, clock),
    signInDomains: signInDomainsOf(config, keys.organizations),
    analytics,
    providers,
  });
  opened.defer(() => edge.close());
  await views.made(VIEWS_MADE_WITHIN_MS);
  const url = await edge.listen();
  opened.defer(() => work?.background.stop());
  const documents = application.connectionDocuments({ parts, admission, deletions, clock });
  work?.background.start({ connectors, documents });

  const stopping = new AbortController();
  const { signal } = stopping;
  const others = { store, keys, deletions, tagLocks: parts.tagLocks, after: headAtStart, logger, signal };
  const following = Promise.all([
    config.eventStoreUrl === null ? null : followOthers(others),
    config.eventStoreUrl === null ? null : confirmKeys(store, keys, { after: headAtStart, signal }),
    followSpaces({ config, parts, embedders, logger }, signal),
    forgetFigures(keys.organizations, analytics, signal),
  ]);
  opened.defer(async () => {
    stopping.abort();
    await following;
  });
  const context = { config, parts, clock, server: { embedders, reranker, startedAt: clock.now() } };
  if (keepsFolder(config)) {
    const operate: Run = (...call) => application.operate(context, ...call);
    opened.adopt(await serveControl(config.dataFolder, operate), (one) => one.close());
  }
  return { url, ownerKey, failed: store.replaced, close: () => opened.disposeAsync() };
}

function withSearchesTimed(reader: ViewsReader, metrics: Metrics | null): ViewsReader {
  return metrics === null ? reader : timed(reader, { search: (seconds) => metrics.searched(seconds) });
}

/** Where work is shared, the process manager may run in another process, so the views are asked. */
function backlogOf(config: Config, parts: Parts, work: Work | null, clock: Clock): { full(): boolean } {
  if (parts.storage.nats === null && work !== null) return work.background.pipeline.load;
  return new PolledBacklog(parts.views.reader, config.maxBacklog, clock);
}
