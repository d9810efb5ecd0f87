export { withoutCredentials } from './addresses.ts';
export { base62 } from './base62.ts';
export { CLOCK, type Clock, systemClock } from './clock.ts';
export { type ErrorRecord, errorFromRecord, errorRecord } from './errors/error-record.ts';
export { ForbiddenError } from './errors/forbidden-error.ts';
export { hasCode, isMnemeError, isTransient, MnemeError, mnemeError } from './errors/mneme-error.ts';
export {
  absentAsNull,
  isAbsent,
  type ResourceCode,
  ResourceError,
  translateFileError,
} from './errors/resource-error.ts';
export {
  type AnyEvent,
  type ErasedEvent,
  type EventCatalogue,
  type EventContext,
  type EventFacts,
  type EventOf,
  foldWith,
  type Recorded,
  readEvent,
  type StoredEvent,
  typesWith,
} from './event.ts';
export { contentHash, contentHashOf, derivedId, newId, type OrganizationId } from './ids.ts';
export { withoutInvisible } from './invisible.ts';
export { isAlive } from './is-alive.ts';
export type { Json, JsonObject, Metadata, MetadataValue } from './json.ts';
export { jsonPieces, stringPieces } from './json-pieces.ts';
export { type JsonSize, jsonSize, MAX_JSON_DEPTH, MAX_JSON_VALUES } from './json-size.ts';
export type { Location, Section, SectionTurn } from './location.ts';
export { isLoopbackHost } from './loopback.ts';
export { isAtMost, mayCall, type Permission } from './permission.ts';
export { actorOf, memberActor, type Principal, type Role } from './principal.ts';
export { asRequest, requestAge } from './request-age.ts';
export { err, ok, type Result } from './result.ts';
export {
  type AccessScope,
  pastScopeOf,
  permits,
  permitsEach,
  readScope,
  type Scope,
  scopeOf,
  systemScope,
  writeScope,
} from './scope.ts';
export { Scratch } from './scratch.ts';
export { hashSecret, randomSecret } from './secrets.ts';
export { slugOf } from './slug.ts';
export { splitList } from './split-list.ts';
export { atOnce, inTurns, type Steps } from './steps.ts';
export { syncFolder } from './sync-folder.ts';
export { DEFAULT_TAG, type FormerTags, haveSameTags, type TagPermission, type TagSelection, tagsAt } from './tags.ts';
export { textLines } from './text-lines.ts';
export { isoTime } from './time.ts';
export { giveWay, giveWayToRequests } from './turns.ts';
export { unlessAborted } from './unless-aborted.ts';
export { urlIn } from './url.ts';
