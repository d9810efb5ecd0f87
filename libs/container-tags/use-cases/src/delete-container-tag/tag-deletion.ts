import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ContainerTagRepository, TagMergeRepository } from '#container-tags';
import { BulkDeletions, DocumentRepository } from '#documents';
import { type Cause, requestCause } from '#event-store';
import { type AccessScope, err, ok, permits, type Result } from '#kernel';
import { CurrentViews } from '#views';
import type { TagRefusal } from '../get-container-tag/get-container-tag.query.ts';

/** `tag_merging`: a running merge works on the tag. */
export type DeleteTagRefusal = TagRefusal | 'tag_merging';

export interface DeletedTag {
  /** Documents that were erased; those that carry another tag are not among them. */
  readonly documents: number;
  readonly memories: number;
}

const PAGE = 1_000;
const IDS_AT_ONCE = 10_000;

/** Deletes tags with their documents. */
@Injectable()
export class TagDeletion implements OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(
    private readonly tags: ContainerTagRepository,
    private readonly merges: TagMergeRepository,
    private readonly documents: DocumentRepository,
    private readonly bulk: BulkDeletions,
    private readonly views: CurrentViews,
  ) {}

  /** A deletion that is interrupted may be repeated. Documents that are added meanwhile keep the tag. */
  async delete(scope: AccessScope, actor: string, tag: string): Promise<Result<DeletedTag, DeleteTagRefusal>> {
    const { organization } = scope;
    if (!permits(scope, [tag])) return err('forbidden');
    const { running } = await this.merges.load(organization);
    if (running.some(({ target, sources }) => target === tag || sources.includes(tag))) return err('tag_merging');
    const own = { organization, tags: [tag] };
    const values = await this.tags.load(own, tag);
    const [totals] = await (await this.views.read()).tags(own);
    if (totals === undefined && !(values.ok && values.value.status === 'set')) return err('tag_not_found');
    const cause = requestCause(actor);
    const { ids, memories } = await this.soleDocuments(scope, tag, cause);
    let documents = 0;
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
      const selection = { by: 'ids', ids: ids.slice(from, from + IDS_AT_ONCE) } as const;
      const deleted = await this.bulk.delete(scope, actor, selection, this.stopping.signal);
      if (!deleted.ok) return deleted;
      documents += deleted.value.deletedCount;
    }
    await this.tags.erase(scope, tag, cause);
    return ok({ documents, memories });
  }

  /** Open requests are answered before the server closes, and a deletion may take minutes. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** Takes the tag from the documents that carry another one. @returns the other documents */
  private async soleDocuments(scope: AccessScope, tag: string, cause: Cause) {
    const own = { organization: scope.organization, tags: [tag] };
    const none = { filter: null, filepath: null, stages: null } as const;
    const ids: string[] = [];
    for (;;) {
      const page = { sort: 'createdAt', order: 'asc', offset: ids.length, limit: PAGE } as const;
      const { rows } = await (await this.views.read()).list({ scope: own, ...none, ...page });
      if (rows.length === 0) break;
      for (const { id, tags } of rows) {
        if (tags.length === 1) ids.push(id);
        else await this.removeTag(scope, id, tag, cause);
      }
    }
    const [left] = await (await this.views.read()).tags(own);
    return { ids, memories: left?.memories ?? 0 };
  }

  private async removeTag(scope: AccessScope, id: string, tag: string, cause: Cause): Promise<void> {
    await this.documents.change<never>(scope, id, cause, (state) => {
      const tags = state.status === 'live' ? state.tags.filter((other) => other !== tag) : [];
      const changes = state.status === 'live' && tags.length > 0 && tags.length < state.tags.length;
      return ok(changes ? { events: [{ type: 'DetailsChanged', payload: {} }], tags } : []);
    });
  }
}
