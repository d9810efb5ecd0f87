import { AccessDeniedError } from '@eventstore/db-client';
import { EventStoreAccessDeniedError } from './errors.ts';

/** gRPC's status codes. */
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

/** What a call needs the right for. */
export interface Access {
  readonly action: 'read' | 'write to';
  /** `$all`: the whole log. */
  readonly stream: string;
}

/** Returns the user in a connection string, or null if it names none. */
export function userOf(url: string): string | null {
  const user = /^[^/]*\/\/([^/?@:]*)(:[^/?@]*)?@/.exec(url)?.[1];
  return user ? decodeURIComponent(user) : null;
}

/**
 * Returns the error for a call that the server refused to a user, as a sentence that says what to do; null for any other
 * error.
 * @param access null: the call needs no particular right
 */
export function accessDenied(
  error: unknown,
  { address, user, access }: { readonly address: string; readonly user: string | null; readonly access: Access | null },
): EventStoreAccessDeniedError | null {
  const code = Number((error as { code?: unknown }).code);
  const isDenied = error instanceof AccessDeniedError || code === PERMISSION_DENIED || code === UNAUTHENTICATED;
  if (!isDenied) return null;
  return new EventStoreAccessDeniedError(sentence(code, address, user, access), { cause: error });
}

function sentence(code: number, address: string, user: string | null, access: Access | null): string {
  const server = `EventStoreDB at ${address}`;
  if (user === null) return `${server} wants a user: set MNEME_EVENTSTORE_URL to esdb://user:password@host:2113.`;
  if (code === UNAUTHENTICATED || access === null) {
    return `${server} does not know the user '${user}' or rejects the password: correct MNEME_EVENTSTORE_URL.`;
  }
  const { action, stream } = access;
  const lacks = `${server} does not permit the user '${user}' to ${action} ${stream}`;
  const streamOfMetadata = stream.startsWith('$$') ? stream.slice(2) : null;
  if (action === 'read' && stream === '$all') return `${lacks}: ${grant('$all', 'readRoles', user)}.`;
  const role = `${streamOfMetadata === null ? '' : 'meta'}${action === 'read' ? 'Read' : 'Write'}Roles`;
  const roles = role[0]?.toLowerCase() + role.slice(1);
  return `${lacks}: ${grant(streamOfMetadata ?? stream, roles, user)}, or permit it for all streams in $settings.`;
}

const grant = (stream: string, roles: string, user: string) =>
  `as an administrator, run setStreamMetadata('${stream}', { acl: { ${roles}: ['$admins', '${user}'] } })`;
