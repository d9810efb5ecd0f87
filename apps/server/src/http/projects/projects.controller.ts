import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  CreateProjectInput,
  createProject,
  DeleteProjectInput,
  deleteProject,
  ListContainerTags,
} from '#features/container-tags/use-cases';
import type { Principal } from '#platform/kernel';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { DeletedProject, deletedProject, Project, ProjectList, project, projectList } from './projects.responses.ts';

/** Projects are the container tags that begin with `sm_project_`. */
@Controller('v3/projects')
@InSection('Projects')
export class ProjectsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Requires('full')
  @Documented({
    id: 'listProjects',
    summary: 'List the projects',
    description: 'The container tags that begin with `sm_project_`.',
    answer: ProjectList,
    refuses: [],
  })
  list(@CurrentPrincipal() principal: Principal) {
    return this.queries.execute(new ListContainerTags(principal)).then(projectList);
  }

  @Post()
  @HttpCode(200)
  @Requires('full-write')
  @Documented({
    id: 'createProject',
    summary: 'Create a project',
    description: 'The tag is `sm_project_` and the name in lower case with dashes, and a number if that tag exists.',
    answer: Project,
    links: { deleteProject: { id: 'id' } },
    refuses: [],
  })
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateProjectInput) {
    return this.commands.execute(createProject(principal, body)).then(project);
  }

  @Delete(':id')
  @HttpCode(200)
  @Requires('admin')
  @Documented({
    id: 'deleteProject',
    summary: 'Delete a project, or move its documents',
    description: '`move` answers when the documents are moved, or after 20 seconds while the move continues.',
    path: { id: { description: 'Id of the project, as its creation and the list return it.' } },
    answer: DeletedProject,
    refuses: [404, 409],
  })
  remove(@CurrentPrincipal() principal: Principal, @Param('id') id: string, @Body() body: DeleteProjectInput) {
    return this.commands
      .execute(deleteProject(principal, id, body))
      .then((deleted) => deletedProject(body.action, valueOrThrow(deleted)));
  }
}
