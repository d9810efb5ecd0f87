import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock, pastScopeOf } from '#platform/kernel';
import { PastMemories } from '#read-side/as-of';
import { CurrentViews, foldedText, type ViewsReader } from '#read-side/views';
import { withoutRepetition } from '../pipeline/scored-hits.ts';
import { GetProfile, type Profile } from './get-profile.query.ts';

const RECENT = 20;
const LASTING = 100;
/** Read beyond the limit, so that repetitions do not leave the answer short. */
const OVER_FETCH = 2;

@QueryHandler(GetProfile)
export class GetProfileHandler implements IQueryHandler<GetProfile> {
  constructor(
    private readonly views: CurrentViews,
    private readonly past: PastMemories,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, tags, options }: GetProfile): Promise<Profile> {
    const place = pastScopeOf(principal, tags, options.asOf);
    const views = await (options.asOf == null ? this.views.readWithoutLog() : this.views.read());
    const newest = async (section: 'static' | 'dynamic', limit: number): Promise<readonly string[]> => {
      if (!options.sections.includes(section)) return [];
      const found = await this.#newest(views, place, options, section === 'static', limit * OVER_FETCH);
      return withoutRepetition(found, ({ unit }) => foldedText(unit.text))
        .map(({ unit }) => unit.text)
        .slice(0, limit);
    };
    const [lasting, recent] = await Promise.all([newest('static', LASTING), newest('dynamic', RECENT)]);
    return { static: lasting, dynamic: recent };
  }

  #newest(
    views: ViewsReader,
    { scope, tagsThen = 'all' }: ReturnType<typeof pastScopeOf>,
    { filter, asOf }: GetProfile['options'],
    isStatic: boolean,
    limit: number,
  ) {
    const now = this.clock.now();
    const query = { scope, filter, activeAt: now, isStatic };
    return asOf == null
      ? views.newestMemories({ ...query, filepath: null }, limit)
      : this.past.newest(views, { ...query, tagsThen, asOf, now }, limit);
  }
}
