import type { ErasedEvent, EventFacts, OrganizationId, Recorded } from '#platform/kernel';
import type { ConnectionEvent, SyncTrigger } from './events.ts';
import { type Connection, type ConnectionState, isConnection, NO_COUNTS, type SyncCounts } from './state.ts';

/** Syncs that have ended and can still be read. */
const REMEMBERED = 50;

/** @param envelope of the event: who caused it, and its sizes */
export function evolveConnection(
  state: ConnectionState,
  event: Recorded<ConnectionEvent> | ErasedEvent,
  envelope: { readonly actor: string } & Pick<EventFacts, 'sizes'>,
): ConnectionState {
  if (event.type === 'erased' || event.type === 'ConnectionErased') return { status: 'erased' };
  const at = Date.parse(event.at);
  if (event.type === 'ConnectionCreated') {
    const organization = event.organization as OrganizationId;
    return {
      ...{ ...event.payload, status: 'live', organization, tags: event.tags, createdBy: envelope.actor, createdAt: at },
      ...{ cursor: null, segment: 0, running: null, ended: [], syncs: 0, requested: null },
      ...{ gone: 0, isConfirmed: false, deletesDocuments: false },
    };
  }
  if (!isConnection(state)) return state;
  const counts = { ...NO_COUNTS, ...envelope.sizes };
  switch (event.type) {
    case 'ConnectionChanged':
      return { ...state, ...event.payload, tags: event.tags };
    case 'SyncRequested':
      return { ...state, requested: state.requested === 'manual' ? 'manual' : (event.code as SyncTrigger) };
    case 'SyncStarted': {
      const { run: id } = event.payload;
      const running = { id, trigger: event.code as SyncTrigger, startedAt: at, ...NO_COUNTS };
      return { ...state, running, requested: null };
    }
    case 'SyncProgressed': {
      const { segment = state.segment } = event.payload;
      return { ...state, segment, running: state.running && { ...state.running, ...countsOf(counts) } };
    }
    case 'SyncEnded':
      return withEnd(state, event, { ...counts, at });
    case 'RemovalConfirmed':
      return { ...state, isConfirmed: true, requested: 'manual' };
    case 'ConnectionDeleted':
      return { ...state, status: 'ending', deletesDocuments: event.payload.deleteDocuments };
  }
}

function withEnd(
  state: Connection,
  {
    payload: { run: id, trigger, startedAt, outcome, message, cursor },
  }: Extract<ConnectionEvent, { type: 'SyncEnded' }>,
  { at, gone = 0, ...counts }: SyncCounts & { readonly at: number; readonly gone?: number },
): Connection {
  const ended = { id, trigger, startedAt: Date.parse(startedAt), ...countsOf(counts), endedAt: at, outcome, message };
  return {
    ...state,
    ...{ running: null, ended: [ended, ...state.ended].slice(0, REMEMBERED), syncs: state.syncs + 1, cursor },
    ...(outcome === 'many_removed' && { gone, isConfirmed: false }),
    ...(outcome === 'completed' && { gone: 0, isConfirmed: false }),
  };
}

const countsOf = ({ found, done, failed, bytes }: SyncCounts): SyncCounts => ({ found, done, failed, bytes });
