import {
  haveSameDetails,
  isActive,
  latestVersion,
  type Memory,
  type MemoryDetails,
  type MemoryRecorded,
  type VersionPayload,
} from '#features/memories';

export const decideRecord = (version: VersionPayload): MemoryRecorded => ({
  type: 'MemoryRecorded',
  contentVersion: 1,
  sizes: { characters: version.text.length },
  payload: version,
});

/** Returns the active memory that has the same details, so that they are not recorded again. */
export const sameMemory = (memories: readonly Memory[], details: MemoryDetails, now: number): Memory | undefined =>
  memories.find((one) => isActive(one, now) && haveSameDetails(latestVersion(one), details));
