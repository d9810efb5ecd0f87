import { isProject } from '#features/container-tags';
import type { ContainerTagView } from '#features/container-tags/use-cases';
import { isoTime } from '#platform/kernel';
import type { Count, Timestamp } from '../openapi/scalars.ts';

/** Answers about projects (contract §4.8). The classes are types only; none is instantiated. */

/** A container tag that begins with `sm_project_`. */
export class Project {
  /** Id of the project. */
  readonly id!: string;
  /** Name for display. */
  readonly name!: string;
  /** The tag that documents of the project carry. */
  readonly containerTag!: string;
  readonly createdAt!: Timestamp;
  readonly updatedAt!: Timestamp;
  /** Always false in this version. */
  readonly isExperimental!: boolean;
  /** Number of documents of the project. */
  readonly documentCount!: Count;
  /** As it was set. Absent if none is. */
  readonly emoji?: string;
}

/** The projects. */
export class ProjectList {
  /** Ordered by tag. */
  readonly projects!: readonly Project[];
}

/** Result of the deletion of a project. */
export class DeletedProject {
  /** Always true. */
  readonly success!: boolean;
  /** What was done, in a sentence. */
  readonly message!: string;
  /** Number of documents that were erased or moved. */
  readonly documentsAffected!: Count;
  /** Number of memories of these documents. */
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
