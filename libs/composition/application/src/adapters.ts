import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { HEALTH_REPORTER, type ServerRuntime } from '#composition/startup';
import { API_KEYS, KeyRepository, OrganizationRepository, Organizations } from '#features/access';
import { ConnectionRepository } from '#features/connections';
import { CONNECTION_FLOWS, CONNECTION_SECRETS, CONNECTORS_BY_PROVIDER } from '#features/connections/use-cases';
import { ContainerTagRepository, TagMergeRepository } from '#features/container-tags';
import {
  BulkDeletions,
  ConversationPictures,
  DocumentContents,
  DocumentDeletion,
  DocumentRepository,
  DocumentTexts,
  Erasure,
  FileLinks,
  KeptReadings,
  PastDocuments,
  UploadLinks,
} from '#features/documents';
import { Admission } from '#features/documents/requests';
import { MemoryVisibility } from '#features/memories/use-cases';
import { AUTHORIZATION_SERVER } from '#features/oauth';
import { KnownQuotas, OrganizationQuotas, QuotaRepository } from '#features/quotas';
import { KnownSessions, SessionAccess, SessionRepository, SIGN_IN_DOMAINS } from '#features/sessions';
import { SettingsRepository } from '#features/settings';
import { Team, TeamRepository } from '#features/team';
import { DEFAULT_GROUP, Questions } from '#features/vector-spaces';
import { CLOCK } from '#platform/kernel';
import { MAILER } from '#platform/mail';
import { OIDC_PROVIDER } from '#platform/oidc';
import { TokenCounters } from '#platform/tokens';
import { ANALYTICS } from '#ports/analytics';
import { BLOB_STORE } from '#ports/blobs';
import { EVENT_FEED, LogFeed } from '#ports/event-feed';
import { KEY_USES } from '#ports/key-uses';
import { RERANKER } from '#ports/rerank';
import { KnownHits, PastMemories } from '#read-side/as-of';
import { CurrentViews, RecentDeletions, VIEWS_READER } from '#read-side/views';

@Global()
@Module({})
class AdaptersModule {}

/** Provides the parts of a runtime under the tokens by which the use cases and the HTTP edge ask for them. */
export function adaptersOf(runtime: ServerRuntime): DynamicModule {
  const { parts, reader } = runtime;
  const { storage, views, documents, containerTags, tagMerges, settings, texts, erasure } = parts;
  const currentViews = new CurrentViews(reader, views.progress, storage.store);
  const model = runtime.embedders.of(DEFAULT_GROUP);
  const contents = new DocumentContents(documents, texts);
  const past = new PastDocuments(documents, texts);
  const values = new Map<unknown, unknown>([
    [Admission, runtime.admission],
    [BLOB_STORE, storage.blobs],
    [CLOCK, runtime.clock],
    [EVENT_FEED, new LogFeed(storage.store)],
    [HEALTH_REPORTER, runtime.health],
    [API_KEYS, runtime.keys],
    [KeyRepository, parts.keyRepository],
    [OrganizationRepository, parts.organizations],
    [KEY_USES, runtime.keyUses],
    [Team, parts.team],
    [OrganizationQuotas, runtime.quotas],
    [KnownQuotas, parts.quotas],
    [QuotaRepository, parts.quotaRepository],
    [TeamRepository, parts.teamRepository],
    [KnownSessions, parts.sessions],
    [SessionAccess, parts.sessionAccess],
    [SessionRepository, parts.sessionRepository],
    [OIDC_PROVIDER, runtime.oidc],
    [AUTHORIZATION_SERVER, runtime.authorizationServer],
    [SIGN_IN_DOMAINS, runtime.signInDomains],
    [MAILER, runtime.mailer],
    [ANALYTICS, runtime.analytics],
    [VIEWS_READER, reader],
    [Questions, new Questions(runtime.embedders, reader, parts.asked)],
    [RERANKER, runtime.reranker],
    [TokenCounters, runtime.tokenCounters],
    [CurrentViews, currentViews],
    [
      MemoryVisibility,
      new MemoryVisibility(storage.store, currentViews, views.progress, () => model.status().state === 'ready'),
    ],
    [RecentDeletions, runtime.deletions],
    [DocumentContents, contents],
    [PastDocuments, past],
    [PastMemories, new PastMemories(documents, past, contents)],
    [KnownHits, new KnownHits({ documents, past, contents, clock: runtime.clock })],
    [DocumentRepository, documents],
    [ConnectionRepository, parts.connections],
    [CONNECTION_SECRETS, parts.secrets],
    [CONNECTION_FLOWS, runtime.connectionFlows],
    [CONNECTORS_BY_PROVIDER, runtime.connectors],
    [ContainerTagRepository, containerTags],
    [TagMergeRepository, tagMerges],
    [SettingsRepository, settings],
    [Organizations, new Organizations(storage.store)],
    [DocumentTexts, texts],
    [ConversationPictures, new ConversationPictures(storage.blobs, texts)],
    [KeptReadings, new KeptReadings(storage.blobs)],
    [Erasure, erasure],
    [DocumentDeletion, parts.deletion],
    [BulkDeletions, parts.bulkDeletions],
    [FileLinks, parts.fileLinks],
    [UploadLinks, parts.uploadLinks],
  ]);
  const providers = [...values].map(([provide, useValue]) => ({ provide, useValue }) as Provider);
  return { module: AdaptersModule, providers, exports: [...values.keys()] as DynamicModule['exports'] & unknown[] };
}
