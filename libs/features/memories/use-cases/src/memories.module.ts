import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { IdempotencyKeys } from '#features/documents/requests';
import { ForgetMemoriesHandler } from './forget-memories/forget-memories.handler.ts';
import { ForgetMemoryHandler } from './forget-memory/forget-memory.handler.ts';
import { PassageMemories } from './forget-memory/passage-memories.ts';
import { GetMemoryEventsHandler } from './get-memory-events/get-memory-events.handler.ts';
import { ListMemoriesHandler } from './list-memories/list-memories.handler.ts';
import { MemoryChanges } from './memory-changes.ts';
import { MemoryFinder } from './memory-finder.ts';
import { RecordMemoriesHandler } from './record-memories/record-memories.handler.ts';
import { RestoreMemoriesHandler } from './restore-memories/restore-memories.handler.ts';
import { ReviseMemoryHandler } from './revise-memory/revise-memory.handler.ts';

/** The use cases of memories. */
@Module({})
export class MemoriesModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: MemoriesModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [
        MemoryFinder,
        MemoryChanges,
        PassageMemories,
        IdempotencyKeys,
        RecordMemoriesHandler,
        ReviseMemoryHandler,
        ForgetMemoryHandler,
        ForgetMemoriesHandler,
        RestoreMemoriesHandler,
        ListMemoriesHandler,
        GetMemoryEventsHandler,
      ],
      exports: [CqrsModule],
    };
  }
}
