import { setTimeout as pause } from 'node:timers/promises';
import { readKeyEvents } from '#features/access';
import { type Clock, isTransient } from '#platform/kernel';
import type { EventStore, Position } from '#ports/event-store';
import { Team } from './team.ts';
import type { TeamRepository } from './team-repository.ts';

export interface ExpireInvitationsOptions {
  readonly store: Pick<EventStore, 'readAll'>;
  readonly team: Pick<TeamRepository, 'expire'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds between two looks at the log. Default: a minute. */
  readonly every?: number;
}

const EVERY_MS = 60_000;

/**
 * Erases the addresses of invitations that are over, until the signal aborts. That nobody joins by them does not depend on it.
 * While the log does not answer, it tries again.
 */
export async function expireInvitations(options: ExpireInvitationsOptions): Promise<void> {
  const { store, team, clock, signal, every = EVERY_MS } = options;
  const people = new Team(clock);
  let after: Position | null = null;
  while (!signal.aborted) {
    try {
      after = await readKeyEvents(store, people, after);
      for (const invitation of people.expired()) await team.expire(invitation);
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
    await pause(every, undefined, { signal }).catch(() => undefined);
  }
}
