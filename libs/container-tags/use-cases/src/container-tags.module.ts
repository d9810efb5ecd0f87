import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ChangeContainerTagHandler } from './change-container-tag/change-container-tag.handler.ts';
import { GetContainerTagHandler } from './get-container-tag/get-container-tag.handler.ts';
import { GetTagMergeHandler } from './get-tag-merge/get-tag-merge.handler.ts';
import { ListContainerTagsHandler } from './list-container-tags/list-container-tags.handler.ts';
import { MergeContainerTagsHandler } from './merge-container-tags/merge-container-tags.handler.ts';

/** The use cases of container tags. */
@Module({})
export class ContainerTagsModule {
  /** @param adapters the module that provides the ports and services that the handlers ask for */
  static using(adapters: DynamicModule): DynamicModule {
    return {
      module: ContainerTagsModule,
      imports: [CqrsModule.forRoot(), adapters],
      providers: [
        ListContainerTagsHandler,
        GetContainerTagHandler,
        ChangeContainerTagHandler,
        MergeContainerTagsHandler,
        GetTagMergeHandler,
      ],
      exports: [CqrsModule],
    };
  }
}
