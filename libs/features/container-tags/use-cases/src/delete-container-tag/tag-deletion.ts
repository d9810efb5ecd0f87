import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ContainerTagRepository, TagMergeRepository } from '#features/container-tags';
import { BulkDeletions } from '#features/documents';
import { type AccessScope, err, ok, permits, type Result, type Scope } from '#platform/kernel';
import { CurrentViews, type ViewsReader } from '#read-side/views';
import { carriedTags } from '../carried-tags.ts';
import type { TagRefusal } from '../get-container-tag/get-container-tag.query.ts';

/** `tag_merging`: a running merge works on the tag. */
export type DeleteTagRefusal = TagRefusal | 'tag_merging';

export interface DeletedTag {
  /** Documents that were erased; those that carry another tag are not among them. */
  readonly documents: number;
  /** Of these documents, as the views showed them. */
  readonly memories: number;
}

const PAGE = 1_000;

/** Deletes tags with their documents and with what was set on them. */
@Injectable()
export class TagDeletion implements OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(
    private readonly tags: ContainerTagRepository,
    private readonly merges: TagMergeRepository,
    private readonly bulk: BulkDeletions,
    private readonly views: CurrentViews,
  ) {}

  /**
   * A deletion that is interrupted is finished in the background, and the same call joins it: see `BulkDeletions`. Documents
   * that are added meanwhile keep the tag.
   */
  async delete(scope: AccessScope, actor: string, tag: string): Promise<Result<DeletedTag, DeleteTagRefusal>> {
    const { organization } = scope;
    if (!permits(scope, [tag])) return err('forbidden');
    const { running } = await this.merges.load(organization);
    if (running.some(({ target, sources }) => target === tag || sources.includes(tag))) return err('tag_merging');
    const own = { organization, tags: [tag] };
    const values = await this.tags.load(own, tag);
    const { views, carried } = await carriedTags(this.views, organization, [tag]);
    if (!carried.has(tag) && !(values.ok && values.value.status === 'set')) return err('tag_not_found');
    const memories = carried.has(tag) ? await soleMemories(views, own, tag) : 0;
    const deleted = await this.bulk.delete(scope, actor, { by: 'tag', tag }, this.stopping.signal);
    return deleted.ok ? ok({ documents: deleted.value.deletedCount, memories }) : deleted;
  }

  /** Open requests are answered before the server closes, and a deletion may take minutes. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }
}

/** Returns how many memories the documents hold that carry no other tag. */
async function soleMemories(views: ViewsReader, { organization }: Scope, tag: string): Promise<number> {
  const none = { holds: 'both', filter: null, filepath: null, stages: null } as const;
  const others = new Set<string>();
  for (let offset = 0, isLast = false; !isLast; offset += PAGE) {
    const page = { sort: 'createdAt', order: 'asc', offset, limit: PAGE } as const;
    const { rows } = await views.list({ scope: { organization, tags: [tag] }, ...none, ...page });
    for (const other of rows.flatMap(({ tags }) => tags)) if (other !== tag) others.add(other);
    isLast = rows.length < PAGE;
  }
  const [all, shared] = await Promise.all([
    views.totals({ organization, tags: [tag, ...others] }),
    views.totals({ organization, tags: [...others] }),
  ]);
  return Math.max(all.memories - shared.memories, 0);
}
