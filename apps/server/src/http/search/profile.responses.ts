import type { MemoryResult, Profile, TimedResults } from '#features/search/use-cases';
import { type MemoryResults, type MemorySearchParts, memoryResults } from './memory.responses.ts';

/** The answer of the profile (contract §2.5). The classes are types only; none is instantiated. */

/** The sections of a profile. Sections that the request leaves out are empty. */
export class ProfileSections {
  /** Memories that were recorded as lasting facts, newest first. */
  readonly static!: readonly string[];
  /** The newest memories of the tag, newest first. */
  readonly dynamic!: readonly string[];
  /** Memories by group. Empty in this version. */
  readonly buckets!: Readonly<Record<string, readonly string[]>>;
}

/** The profile of a container tag. */
export class ProfileAnswer {
  /** The sections. */
  readonly profile!: ProfileSections;
  /** Only with `q`. */
  readonly searchResults?: MemoryResults;
}

const PLAIN: MemorySearchParts = { documents: false, summaries: false, explain: false };

export const profileAnswer = (profile: Profile, search: TimedResults<MemoryResult> | null): ProfileAnswer => ({
  profile: { static: profile.static, dynamic: profile.dynamic, buckets: {} },
  ...(search === null ? {} : { searchResults: memoryResults(search, PLAIN) }),
});
