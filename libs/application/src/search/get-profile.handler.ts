import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CurrentViews } from '../documents/queries.handler.ts';
import { scopeOf } from '../scope.ts';
import { GetProfile, type Profile } from './queries.ts';
import { withoutRepetition } from './results.ts';

const RECENT = 20;

@QueryHandler(GetProfile)
export class GetProfileHandler implements IQueryHandler<GetProfile> {
  constructor(private readonly views: CurrentViews) {}

  async execute({ caller, options }: GetProfile): Promise<Profile> {
    if (!options.sections.includes('dynamic')) return { static: [], dynamic: [] };
    const views = await this.views.read();
    const query = { scope: scopeOf(caller, [options.tag]), filter: options.filter, filepath: null };
    const newest = await views.newestMemories(query, RECENT * 2);
    const texts = withoutRepetition(newest, ({ unit }) => unit.text).map(({ unit }) => unit.text);
    return { static: [], dynamic: texts.slice(0, RECENT) };
  }
}
