import { Body, Controller, Delete, Get, HttpCode, Param, Patch } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ChangeContainerTagInput,
  changeTag,
  DeleteContainerTag,
  GetContainerTag,
  ListContainerTags,
} from '#features/container-tags/use-cases';
import { GetProfileInput, Profiles } from '#features/search/use-cases';
import type { Principal } from '#platform/kernel';
import { CountedAs, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented, listOf } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { ProfileAnswer, profileAnswer } from '../search/profile.responses.ts';
import {
  ChangedTag,
  changedTag,
  DeletedTag,
  deletedTag,
  ListedTag,
  listedTag,
  TagRecord,
  tagRecord,
} from './container-tags.responses.ts';

@Controller('v3/container-tags')
@InSection('Container tags')
export class ContainerTagsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly profiles: Profiles,
  ) {}

  @Get('list')
  @Requires('read')
  @Documented({
    id: 'listContainerTags',
    summary: 'List the container tags of the key',
    description: 'Each tag with the number of its documents and memories, ordered by tag.',
    answer: listOf(ListedTag),
    refuses: [],
  })
  list(@CurrentPrincipal() principal: Principal) {
    return this.queries.execute(new ListContainerTags(principal)).then((found) => found.map(listedTag));
  }

  @Get(':tag')
  @Requires('read')
  @Documented({
    id: 'getContainerTag',
    summary: 'Read what is set on a container tag',
    description: '404 if no document carries the tag and nothing is set on it.',
    path: { tag: { description: 'The tag, percent-encoded.', example: 'project-atlas' } },
    answer: TagRecord,
    refuses: [404],
  })
  get(@CurrentPrincipal() principal: Principal, @Param('tag') tag: string) {
    return this.queries.execute(new GetContainerTag(principal, tag)).then((found) => tagRecord(valueOrThrow(found)));
  }

  @Patch(':tag')
  @Requires('full-write')
  @Documented({
    id: 'updateContainerTag',
    summary: 'Change what is set on a container tag',
    description: 'Stored and returned; no effect on processing yet. `profileBuckets` needs an admin.',
    path: { tag: { description: 'The tag, percent-encoded.', example: 'project-atlas' } },
    answer: ChangedTag,
    refuses: [404],
  })
  change(@CurrentPrincipal() principal: Principal, @Param('tag') tag: string, @Body() body: ChangeContainerTagInput) {
    return this.commands.execute(changeTag(principal, tag, body)).then((changed) => changedTag(valueOrThrow(changed)));
  }

  @Delete(':tag')
  @HttpCode(200)
  @Requires('admin')
  @Documented({
    id: 'deleteContainerTag',
    summary: 'Delete a container tag with its documents',
    description:
      'Erases the documents that carry only this tag, and what is set on it. Documents with another tag ' +
      'lose this one and stay.',
    path: { tag: { description: 'The tag, percent-encoded.', example: 'support' } },
    answer: DeletedTag,
    refuses: [404, 409],
  })
  remove(@CurrentPrincipal() principal: Principal, @Param('tag') tag: string) {
    return this.commands
      .execute(new DeleteContainerTag(principal, tag))
      .then((deleted) => deletedTag(tag, valueOrThrow(deleted)));
  }

  @Get(':tag/profile')
  @CountedAs('fast_search')
  @Requires('read')
  @Documented({
    id: 'getContainerTagProfile',
    summary: 'Read the profile of a container tag',
    description: 'As `POST /v4/profile` without a question.',
    path: { tag: { description: 'The tag, percent-encoded.', example: 'project-atlas' } },
    answer: ProfileAnswer,
    refuses: [],
  })
  profile(@CurrentPrincipal() principal: Principal, @Param('tag') containerTag: string) {
    const body = Object.assign(new GetProfileInput(), { containerTag });
    return this.profiles.read(principal, body).then(({ profile }) => profileAnswer(profile, null));
  }
}
