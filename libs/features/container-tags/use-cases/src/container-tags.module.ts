import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AddEntityContextHandler } from './add-entity-context/add-entity-context.handler.ts';
import { ChangeContainerTagHandler } from './change-container-tag/change-container-tag.handler.ts';
import { CreateProjectHandler } from './create-project/create-project.handler.ts';
import { DeleteContainerTagHandler } from './delete-container-tag/delete-container-tag.handler.ts';
import { TagDeletion } from './delete-container-tag/tag-deletion.ts';
import { DeleteProjectHandler } from './delete-project/delete-project.handler.ts';
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
        AddEntityContextHandler,
        TagDeletion,
        DeleteContainerTagHandler,
        CreateProjectHandler,
        DeleteProjectHandler,
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
