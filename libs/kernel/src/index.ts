export { actorOf, type Caller, type Role } from './caller.ts';
export { type Clock, systemClock } from './clock.ts';
export { type ErrorRecord, errorFromRecord, errorRecord } from './errors/error-record.ts';
export {
  type ErrorKind,
  hasCode,
  isMnemeError,
  isTransient,
  MnemeError,
  type MnemeErrorOptions,
} from './errors/mneme-error.ts';
export { type ResourceCode, ResourceError, translateFileError } from './errors/resource-error.ts';
export { contentHash, newId, type OrganizationId } from './ids.ts';
export type { Json, JsonObject, Metadata, MetadataValue } from './json.ts';
export { err, ok, type Result } from './result.ts';
export type { Scope, TagSelection } from './scope.ts';
export { isoTime } from './time.ts';
