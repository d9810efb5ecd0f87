import { err, isoTime, type Json, type JsonObject, ok, type Result } from '#platform/kernel';
import type { ConnectionCreated, ConnectionEvent, SyncOutcome, SyncTrigger } from './events.ts';
import { type ConnectionState, isConnection, type RunningSync, type SyncCounts } from './state.ts';

/** `connection_gone`: there is no such connection, or it is being deleted. */
type Decided<Refusal = 'connection_gone'> = Result<readonly ConnectionEvent[], Refusal | 'connection_gone'>;

export function decideCreation(state: ConnectionState, payload: ConnectionCreated['payload']): Decided {
  return state.status === 'absent' ? ok([{ type: 'ConnectionCreated', payload }]) : err('connection_gone');
}

export function decideSetup(state: ConnectionState, setup: JsonObject): Decided {
  if (state.status !== 'live') return err('connection_gone');
  if (JSON.stringify(setup) === JSON.stringify(state.setup)) return ok([]);
  return ok([{ type: 'ConnectionChanged', payload: { setup } }]);
}

/** One request that waits is enough; one of a person counts more than one of the source. */
export function decideRequest(state: ConnectionState, trigger: SyncTrigger): Decided {
  if (state.status !== 'live') return err('connection_gone');
  if (state.requested === 'manual' || state.requested === trigger) return ok([]);
  return ok([{ type: 'SyncRequested', payload: null, code: trigger }]);
}

/** `nothing_to_confirm`: no removal waits for it. */
export function decideConfirmation(state: ConnectionState): Decided<'nothing_to_confirm'> {
  if (state.status !== 'live') return err('connection_gone');
  if (state.gone === 0) return err('nothing_to_confirm');
  return ok(state.isConfirmed ? [] : [{ type: 'RemovalConfirmed', payload: null }]);
}

export function decideDeletion(state: ConnectionState, deleteDocuments: boolean): Decided {
  if (state.status !== 'live') return err('connection_gone');
  return ok([{ type: 'ConnectionDeleted', payload: { deleteDocuments } }]);
}

export function decideErasure(state: ConnectionState): Decided {
  return isConnection(state) ? ok([{ type: 'ConnectionErased', payload: null }]) : ok([]);
}

/** `sync_over`: another sync is running, so that this one has lost its connection. */
type SyncDecided = Decided<'sync_over'>;

export function decideStart(state: ConnectionState, run: string, trigger: SyncTrigger): SyncDecided {
  if (!isConnection(state)) return err('connection_gone');
  if (state.running !== null) return state.running.id === run ? ok([]) : err('sync_over');
  return ok([{ type: 'SyncStarted', payload: { run }, code: trigger }]);
}

/** @param segment the stream that items are recorded in from now on. Null: as before */
export function decideProgress(
  state: ConnectionState,
  run: string,
  counts: SyncCounts,
  segment: number | null,
): SyncDecided {
  if (!isConnection(state)) return err('connection_gone');
  if (state.status === 'live' && state.running?.id !== run) return err('sync_over');
  return ok([{ type: 'SyncProgressed', payload: { run, ...(segment !== null && { segment }) }, sizes: { ...counts } }]);
}

export interface SyncEnd {
  readonly outcome: SyncOutcome;
  readonly message: string | null;
  readonly cursor: Json;
  /** Items that are gone at the source and were not removed. */
  readonly gone: number;
}

export function decideEnd(state: ConnectionState, running: RunningSync, end: SyncEnd): SyncDecided {
  if (state.status !== 'live') return err('connection_gone');
  const { id: run, trigger, startedAt, ...counts } = running;
  if (state.running !== null && state.running.id !== run) return err('sync_over');
  const { gone, ...how } = end;
  const payload = { run, trigger, startedAt: isoTime(startedAt), ...how };
  return ok([{ type: 'SyncEnded', payload, sizes: { ...counts, gone } }]);
}
