export { actorOf, type Caller, type Role } from './caller.ts';
export { type Clock, systemClock } from './clock.ts';
export { contentHash, contentHashOf, newId, type OrganizationId } from './ids.ts';
export type { Json, JsonObject, Metadata, MetadataValue } from './json.ts';
export { err, ok, type Result } from './result.ts';
export type { Scope, TagSelection } from './scope.ts';
export { isoTime } from './time.ts';
