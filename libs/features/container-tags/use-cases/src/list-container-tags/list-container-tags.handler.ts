import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { TagMergeRepository, tagId, type Visibility } from '#features/container-tags';
import { CLOCK, type Clock, readScope } from '#platform/kernel';
import { CurrentViews, type RowValues } from '#read-side/views';
import { type ContainerTagView, timesOf } from '../container-tag-view.ts';
import { ListContainerTags } from './list-container-tags.query.ts';

/** More tags than this with values of their own are not expected. */
const MOST_ROWS = 1_000_000;

@QueryHandler(ListContainerTags)
export class ListContainerTagsHandler implements IQueryHandler<ListContainerTags> {
  constructor(
    private readonly views: CurrentViews,
    private readonly merges: TagMergeRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal }: ListContainerTags): Promise<readonly ContainerTagView[]> {
    const scope = readScope(principal);
    const views = await this.views.read();
    const page = { equals: {}, sort: null, order: 'asc', offset: 0, limit: MOST_ROWS } as const;
    const [totals, { rows }, { running }] = await Promise.all([
      views.tags(scope, this.clock.now()),
      views.rows({ model: 'tag_values', scope, ...page }),
      this.merges.load(scope.organization),
    ]);
    const totalsOf = new Map(totals.map((one) => [one.tag, one]));
    const valuesOf = new Map(rows.map(({ values }) => [values.tag as string, valuesFrom(values)]));
    const tags = [...new Set([...totalsOf.keys(), ...valuesOf.keys()])].sort();
    const mergeOf = new Map<string, ContainerTagView['merge']>(
      running.flatMap(({ id, target, sources }) => [
        [target, { id, target, isSource: false }] as const,
        ...sources.map((source) => [source, { id, target, isSource: true }] as const),
      ]),
    );
    return tags.map((tag) => {
      const own = totalsOf.get(tag);
      const set = valuesOf.get(tag);
      return {
        id: tagId(scope.organization, tag),
        tag,
        ...{ name: set?.name ?? null, emoji: set?.emoji ?? null, visibility: set?.visibility ?? null },
        ...{ documents: own?.documents ?? 0, memories: own?.memories ?? 0 },
        ...timesOf(set, own),
        lastActivityAt: own?.updatedAt ?? null,
        merge: mergeOf.get(tag) ?? null,
      };
    });
  }
}

const valuesFrom = (values: RowValues) => ({
  name: values.name as string | null,
  emoji: values.emoji as string | null,
  visibility: values.visibility as Visibility | null,
  createdAt: values.created_at as number,
  updatedAt: values.updated_at as number,
});
