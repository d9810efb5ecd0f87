export { AddEntityContext } from './add-entity-context/add-entity-context.command.ts';
export { ChangeContainerTag } from './change-container-tag/change-container-tag.command.ts';
export type { ContainerTagDetails, ContainerTagView } from './container-tag-view.ts';
export { ContainerTagsModule } from './container-tags.module.ts';
export { CreateProject } from './create-project/create-project.command.ts';
export { DeleteContainerTag } from './delete-container-tag/delete-container-tag.command.ts';
export type { DeletedTag } from './delete-container-tag/tag-deletion.ts';
export { DeleteProject, type DeleteProjectRefusal } from './delete-project/delete-project.command.ts';
export { GetContainerTag } from './get-container-tag/get-container-tag.query.ts';
export { GetTagMerge } from './get-tag-merge/get-tag-merge.query.ts';
export { ListContainerTags } from './list-container-tags/list-container-tags.query.ts';
export {
  MergeContainerTags,
  type MergeRefusal,
  type QueuedMerge,
} from './merge-container-tags/merge-container-tags.command.ts';
