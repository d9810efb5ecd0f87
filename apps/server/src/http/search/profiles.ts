import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import type { Profile } from '#search/use-cases';
import type { FoundInProfile } from '../responses.ts';
import { getProfile, type ProfileBody, searchProfile } from './search.dto.ts';
import { timed } from './timed.ts';

/** A profile and, for whoever asks a question along with it, what is found for that. */
@Injectable()
export class Profiles {
  private readonly queries: QueryBus;

  constructor(queries: QueryBus) {
    this.queries = queries;
  }

  async read(caller: Caller, body: ProfileBody): Promise<{ profile: Profile; search: FoundInProfile | null }> {
    const [profile, search] = await Promise.all([
      this.queries.execute(getProfile(caller, body)),
      body.q === undefined ? null : this.search(caller, body, body.q),
    ]);
    return { profile, search };
  }

  /** Clients count on results whenever they sent `q`, blank or not. */
  private async search(caller: Caller, body: ProfileBody, question: string): Promise<FoundInProfile> {
    if (question.trim() === '') return { found: [], timing: 0 };
    return timed(() => this.queries.execute(searchProfile(caller, body, question)));
  }
}
