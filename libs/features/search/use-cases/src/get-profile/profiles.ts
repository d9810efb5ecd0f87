import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';
import type { MemoryResult } from '../search-memories/search-memories.query.ts';
import type { TimedResults } from '../search-options.ts';
import { type GetProfileInput, getProfile, searchProfile } from './get-profile.input.ts';
import type { Profile } from './get-profile.query.ts';

/** Reads a profile and, if the request has a question, the results for it. */
@Injectable()
export class Profiles {
  constructor(private readonly queries: QueryBus) {}

  async read(
    principal: Principal,
    body: GetProfileInput,
  ): Promise<{ profile: Profile; search: TimedResults<MemoryResult> | null }> {
    const [profile, search] = await Promise.all([
      this.queries.execute(getProfile(principal, body)),
      body.q === undefined ? null : this.search(principal, body, body.q),
    ]);
    return { profile, search };
  }

  /** Clients read results whenever they send `q`, even a blank one. */
  private async search(
    principal: Principal,
    body: GetProfileInput,
    question: string,
  ): Promise<TimedResults<MemoryResult>> {
    if (question.trim() === '') return { results: [], rewriting: null, timing: 0 };
    return this.queries.execute(searchProfile(principal, body, question));
  }
}
