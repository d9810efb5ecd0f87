import { Query } from '@nestjs/cqrs';
import type { Filter } from '#features/search';
import type { Principal } from '#platform/kernel';

export interface Profile {
  /** Memories that were recorded as lasting facts, newest first. */
  readonly static: readonly string[];
  /** Newest first. */
  readonly dynamic: readonly string[];
}

export type ProfileSection = 'static' | 'dynamic' | 'buckets';

/** What is known about one tag: lasting facts and recent activity. May throw a `TooManyChangedError`. */
export class GetProfile extends Query<Profile> {
  readonly principal: Principal;
  /** Those that the request names. Empty: all that the principal may read. */
  readonly tags: readonly string[];
  readonly options: {
    readonly filter: Filter | null;
    readonly sections: readonly ProfileSection[];
    /** As it was at this time: milliseconds since the epoch. Null or absent: as it is now. */
    readonly asOf?: number | null;
  };

  constructor(principal: Principal, tags: readonly string[], options: GetProfile['options']) {
    super();
    this.principal = principal;
    this.tags = tags;
    this.options = options;
  }
}
