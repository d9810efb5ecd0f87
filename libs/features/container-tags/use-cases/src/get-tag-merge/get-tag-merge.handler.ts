import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type TagMerge, TagMergeRepository } from '#features/container-tags';
import { err, ok, type Result } from '#platform/kernel';
import { GetTagMerge } from './get-tag-merge.query.ts';

@QueryHandler(GetTagMerge)
export class GetTagMergeHandler implements IQueryHandler<GetTagMerge> {
  constructor(private readonly merges: TagMergeRepository) {}

  async execute({ principal, id }: GetTagMerge): Promise<Result<TagMerge, 'merge_not_found'>> {
    const { running, ended } = await this.merges.load(principal.organization);
    const merge = [...running, ...ended].find((one) => one.id === id);
    return merge === undefined ? err('merge_not_found') : ok(merge);
  }
}
