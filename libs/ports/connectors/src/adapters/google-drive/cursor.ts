import { createHash } from 'node:crypto';
import type { Json } from '#platform/kernel';
import type { DriveApi } from './drive-api.ts';
import { markOf, type Scope } from './setup.ts';

/** Where the changes after a listing begin. */
export interface Cursor {
  /** Of the scope that was listed. */
  readonly scope: string;
  /** Page tokens by log: `user`, or the id of a shared drive. */
  readonly logs: Readonly<Record<string, string>>;
  /** Paths by the ids of files and folders to which shortcuts lead. Null: too many, so that changes alone tell too little. */
  readonly targets: Readonly<Record<string, string>> | null;
}

export const USER_LOG = 'user';

/** Shortcuts that a cursor keeps, since it lies in the log of events. */
const MAX_TARGETS = 500;

export function cursorOf(scope: Scope, logs: Cursor['logs'], targets: ReadonlyMap<string, string>): Json {
  return {
    ...{ scope: hashOf(scope), logs },
    targets: targets.size > MAX_TARGETS ? null : Object.fromEntries(targets),
  };
}

/** Null: it belongs to another scope, or there is none, so that everything is listed. */
export function readCursor(cursor: Json | null, scope: Scope): Cursor | null {
  const read = cursor as unknown as Cursor | null;
  return read !== null && read.scope === hashOf(scope) ? read : null;
}

/** Returns where the logs end now. @param driveIds shared drives */
export async function startsOf(
  api: DriveApi,
  driveIds: Iterable<string>,
  signal: AbortSignal,
): Promise<Cursor['logs']> {
  const logs: Record<string, string> = {};
  for (const log of [USER_LOG, ...driveIds]) {
    const query = log === USER_LOG ? {} : { driveId: log };
    logs[log] = (await api.get<{ startPageToken: string }>('/changes/startPageToken', query, signal)).startPageToken;
  }
  return logs;
}

const hashOf = (scope: Scope): string => createHash('sha256').update(markOf(scope)).digest('base64url').slice(0, 22);
