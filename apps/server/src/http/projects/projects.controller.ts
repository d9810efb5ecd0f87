import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ListContainerTags } from '#container-tags/use-cases';
import { type Caller, readScope } from '#kernel';
import { CurrentCaller } from '../access/caller.ts';
import { Requires } from '../access/permission.ts';
import { accepted } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { CreateProjectBody, createProject, DeleteProjectBody, deleteProject } from './projects.dto.ts';
import { DeletedProject, deletedProject, Project, ProjectList, project, projectList } from './projects.responses.ts';

/** Projects are the container tags that begin with `sm_project_`. */
@Controller('v3/projects')
export class ProjectsController {
  private readonly commands: CommandBus;
  private readonly queries: QueryBus;

  constructor(commands: CommandBus, queries: QueryBus) {
    this.commands = commands;
    this.queries = queries;
  }

  @Get()
  @Requires('full')
  @Documented({ summary: 'List the projects', answer: ProjectList, refuses: [] })
  list(@CurrentCaller() caller: Caller) {
    return this.queries.execute(new ListContainerTags(readScope(caller))).then(projectList);
  }

  @Post()
  @HttpCode(200)
  @Requires('full')
  @Documented({ summary: 'Create a project', answer: Project, refuses: [400] })
  create(@CurrentCaller() caller: Caller, @Body() body: CreateProjectBody) {
    return this.commands.execute(createProject(caller, body)).then(project);
  }

  @Delete(':id')
  @HttpCode(200)
  @Requires('admin')
  @Documented({ summary: 'Delete a project, or move its documents', answer: DeletedProject, refuses: [400, 404, 409] })
  remove(@CurrentCaller() caller: Caller, @Param('id') id: string, @Body() body: DeleteProjectBody) {
    return this.commands
      .execute(deleteProject(caller, id, body))
      .then((deleted) => deletedProject(body.action, accepted(deleted)));
  }
}
