import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { GetProfile, type Profile } from './get-profile.query.ts';
import { ProfileMemories } from './profile-memories.ts';

@QueryHandler(GetProfile)
export class GetProfileHandler implements IQueryHandler<GetProfile> {
  constructor(private readonly memories: ProfileMemories) {}

  async execute({ principal, tags, options }: GetProfile): Promise<Profile> {
    const newest = async (section: 'static' | 'dynamic'): Promise<readonly string[]> => {
      if (!options.sections.includes(section)) return [];
      const found = await this.memories.newest(section, principal, tags, options);
      return found.map(({ unit }) => unit.text);
    };
    const [lasting, recent] = await Promise.all([newest('static'), newest('dynamic')]);
    return { static: lasting, dynamic: recent };
  }
}
