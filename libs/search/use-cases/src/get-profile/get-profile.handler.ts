import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock } from '#kernel';
import { CurrentViews } from '#views';
import { withoutRepetition } from '../results.ts';
import { GetProfile, type Profile } from './get-profile.query.ts';

const RECENT = 20;
/** Read beyond the limit, so that repetitions do not leave the answer short. */
const OVER_FETCH = 2;

@QueryHandler(GetProfile)
export class GetProfileHandler implements IQueryHandler<GetProfile> {
  constructor(
    private readonly views: CurrentViews,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ scope, options }: GetProfile): Promise<Profile> {
    if (!options.sections.includes('dynamic')) return { static: [], dynamic: [] };
    const views = await this.views.read();
    const query = { scope, filter: options.filter, filepath: null, activeAt: this.clock.now() };
    const newest = await views.newestMemories(query, RECENT * OVER_FETCH);
    const texts = withoutRepetition(newest, ({ unit }) => unit.text).map(({ unit }) => unit.text);
    return { static: [], dynamic: texts.slice(0, RECENT) };
  }
}
