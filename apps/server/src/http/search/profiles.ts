import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Profile } from '#features/search/use-cases';
import type { Principal } from '#platform/kernel';
import { getProfile, type ProfileBody, searchProfile } from './profile.dto.ts';
import type { ProfileMatches } from './profile.responses.ts';
import { timed } from './timed.ts';

/** Reads a profile and, if the request has a question, the results for it. */
@Injectable()
export class Profiles {
  private readonly queries: QueryBus;

  constructor(queries: QueryBus) {
    this.queries = queries;
  }

  async read(principal: Principal, body: ProfileBody): Promise<{ profile: Profile; search: ProfileMatches | null }> {
    const [profile, search] = await Promise.all([
      this.queries.execute(getProfile(principal, body)),
      body.q === undefined ? null : this.search(principal, body, body.q),
    ]);
    return { profile, search };
  }

  /** Clients read results whenever they send `q`, even a blank one. */
  private async search(principal: Principal, body: ProfileBody, question: string): Promise<ProfileMatches> {
    if (question.trim() === '') return { found: { results: [], rewriting: null }, timing: 0 };
    return timed(() => this.queries.execute(searchProfile(principal, body, question)));
  }
}
