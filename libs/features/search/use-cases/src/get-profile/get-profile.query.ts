import { Query } from '@nestjs/cqrs';
import type { Filter } from '#features/search';
import type { Scope, TagSelection } from '#platform/kernel';

export interface Profile {
  /** Memories that were recorded as lasting facts, newest first. */
  readonly static: readonly string[];
  /** Newest first. */
  readonly dynamic: readonly string[];
}

export type ProfileSection = 'static' | 'dynamic' | 'buckets';

/** What is known about one tag: lasting facts and recent activity. May throw a `TooManyChangedError`. */
export class GetProfile extends Query<Profile> {
  readonly scope: Scope;
  readonly options: {
    readonly filter: Filter | null;
    readonly sections: readonly ProfileSection[];
    /** As it was at this time: milliseconds since the epoch. Null or absent: as it is now. */
    readonly asOf?: number | null;
    /** With `asOf`: one of these is one that it had then; the scope is about the tags of today. Absent: any. */
    readonly tagsThen?: TagSelection;
  };

  constructor(scope: Scope, options: GetProfile['options']) {
    super();
    this.scope = scope;
    this.options = options;
  }
}
