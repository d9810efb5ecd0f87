import { Query } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import type { Filter } from '#search';

export interface Profile {
  readonly static: readonly string[];
  /** Newest first. */
  readonly dynamic: readonly string[];
}

export type ProfileSection = 'static' | 'dynamic' | 'buckets';

/** What is known about one tag: lasting facts and recent activity. */
export class GetProfile extends Query<Profile> {
  readonly caller: Caller;
  readonly options: {
    readonly tag: string;
    readonly filter: Filter | null;
    readonly sections: readonly ProfileSection[];
  };

  constructor(caller: Caller, options: GetProfile['options']) {
    super();
    this.caller = caller;
    this.options = options;
  }
}
