import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { GetTagMerge, MergeContainerTagsInput, mergeTags } from '#features/container-tags/use-cases';
import type { Principal } from '#platform/kernel';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { QueuedTagMerge, queuedTagMerge, TagMergeRecord, tagMergeRecord } from './tag-merges.responses.ts';

@Controller('v3/container-tags/merge')
@InSection('Container tags')
export class TagMergesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(202)
  @Requires('admin')
  @Documented({
    id: 'mergeContainerTags',
    summary: 'Merge container tags into one',
    description:
      'Each document of the tags gets the target in their place, after the response. Until the merge has ' +
      'ended, writes to the tags are refused with 409.',
    answer: QueuedTagMerge,
    status: 202,
    links: { getContainerTagMerge: { mergeId: 'mergeId' } },
    refuses: [404, 409],
  })
  merge(@CurrentPrincipal() principal: Principal, @Body() body: MergeContainerTagsInput) {
    return this.commands.execute(mergeTags(principal, body)).then((queued) => queuedTagMerge(valueOrThrow(queued)));
  }

  @Get(':mergeId')
  @Requires('admin')
  @Documented({
    id: 'getContainerTagMerge',
    summary: 'Read the progress of a merge',
    description: 'The newest 1,000 merges can be read.',
    path: { mergeId: { description: 'The `mergeId` that the request for the merge returned.' } },
    answer: TagMergeRecord,
    refuses: [404],
  })
  get(@CurrentPrincipal() principal: Principal, @Param('mergeId') id: string) {
    return this.queries.execute(new GetTagMerge(principal, id)).then((found) => tagMergeRecord(valueOrThrow(found)));
  }
}
