import { type DynamicModule, Module } from '@nestjs/common';
import type { ServerRuntime } from '#composition/startup';
import { AccessModule } from '#features/access/use-cases';
import { AnalyticsModule } from '#features/analytics/use-cases';
import { AuditModule } from '#features/audit/use-cases';
import { ConnectionsModule } from '#features/connections/use-cases';
import { ContainerTagsModule } from '#features/container-tags/use-cases';
import { DocumentsModule } from '#features/documents/use-cases';
import { MemoriesModule } from '#features/memories/use-cases';
import { OAuthModule } from '#features/oauth/use-cases';
import { SearchModule } from '#features/search/use-cases';
import { SessionsModule } from '#features/sessions/use-cases';
import { SettingsModule } from '#features/settings/use-cases';
import { TeamModule } from '#features/team/use-cases';
import { adaptersOf } from './adapters.ts';
import { EntityContexts } from './entity-contexts.ts';
import { MatchingMemories } from './matching-memories.ts';

/** All use cases, for any edge: what they need comes from a runtime, and edges reach them over the buses. */
@Module({})
export class ApplicationModule {
  static of(runtime: ServerRuntime): DynamicModule {
    const adapters = adaptersOf(runtime);
    const useCases = [
      AccessModule,
      AuditModule,
      DocumentsModule,
      MemoriesModule,
      ContainerTagsModule,
      ConnectionsModule,
      SearchModule,
      SettingsModule,
      TeamModule,
      SessionsModule,
      OAuthModule,
      AnalyticsModule,
    ].map((module) => module.using(adapters));
    const combined = [EntityContexts, MatchingMemories];
    return {
      module: ApplicationModule,
      imports: [adapters, ...useCases],
      providers: combined,
      exports: [adapters, ...useCases, ...combined],
    };
  }
}
