import { Inject, Injectable } from '@nestjs/common';
import type { Filter } from '#features/search';
import { CLOCK, type Clock, type Principal, pastScopeOf } from '#platform/kernel';
import { PastMemories } from '#read-side/as-of';
import { CurrentViews, type DocumentRow, foldedTextOf, type Unit } from '#read-side/views';
import { withoutRepetition } from '../pipeline/scored-hits.ts';

const MOST = { static: 100, dynamic: 20 };
/** Read beyond the limit, so that repetitions do not leave the answer short. */
const OVER_FETCH = 2;

export interface ProfileMemory {
  readonly unit: Unit;
  /** Of the document, or of the memory if it has a row of its own. */
  readonly document: DocumentRow;
}

/** Reads the memories of which a profile consists. */
@Injectable()
export class ProfileMemories {
  constructor(
    private readonly views: CurrentViews,
    private readonly past: PastMemories,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Returns lasting facts, or recent activity: different texts, the newest first.
   * @param tags those that the request names. Empty: all that the principal may read
   * @throws TooManyChangedError with `asOf`
   */
  async newest(
    section: 'static' | 'dynamic',
    principal: Principal,
    tags: readonly string[],
    { filter = null, asOf = null }: { readonly filter?: Filter | null; readonly asOf?: number | null },
  ): Promise<readonly ProfileMemory[]> {
    const { scope, tagsThen = 'all' } = pastScopeOf(principal, tags, asOf);
    const views = await (asOf === null ? this.views.readWithoutLog() : this.views.read());
    const now = this.clock.now();
    const query = { scope, filter, activeAt: now, isStatic: section === 'static' };
    const limit = MOST[section];
    const found = await (asOf === null
      ? views.newestMemories({ ...query, filepath: null }, limit * OVER_FETCH)
      : this.past.newest(views, { ...query, tagsThen, asOf, now }, limit * OVER_FETCH));
    return withoutRepetition<ProfileMemory>(found, ({ unit }) => foldedTextOf(unit)).slice(0, limit);
  }
}
