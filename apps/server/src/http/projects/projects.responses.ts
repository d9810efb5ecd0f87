import { isProject } from '#container-tags';
import type { ContainerTagView } from '#container-tags/use-cases';
import { isoTime } from '#kernel';
import type { Count, Timestamp } from '../openapi/scalars.ts';

/** Answers about projects (contract §4.8). The classes are types only; none is instantiated. */

export class Project {
  readonly id!: string;
  readonly name!: string;
  readonly containerTag!: string;
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp;
  readonly isExperimental!: boolean;
  readonly documentCount!: Count;
  readonly emoji?: string;
}

export class ProjectList {
  readonly projects!: readonly Project[];
}

export class DeletedProject {
  readonly success!: boolean;
  readonly message!: string;
  readonly documentsAffected!: Count;
  readonly memoriesAffected!: Count;
}

export const project = (view: ContainerTagView): Project => ({
  id: view.id,
  name: view.name ?? view.tag,
  containerTag: view.tag,
  createdAt: isoTime(view.createdAt),
  updatedAt: isoTime(view.updatedAt),
  isExperimental: false,
  documentCount: view.documents,
  ...(view.emoji !== null && { emoji: view.emoji }),
});

export const projectList = (views: readonly ContainerTagView[]): ProjectList => ({
  projects: views.filter(({ tag }) => isProject(tag)).map(project),
});

export const deletedProject = (
  action: 'move' | 'delete',
  { documents, memories }: { readonly documents: number; readonly memories: number },
): DeletedProject => ({
  success: true,
  message: action === 'move' ? 'The documents were moved and the project was deleted' : 'The project was deleted',
  documentsAffected: documents,
  memoriesAffected: memories,
});
