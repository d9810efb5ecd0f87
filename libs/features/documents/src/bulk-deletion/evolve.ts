import type { ErasedEvent, Recorded } from '#platform/kernel';
import type { BulkDeletionEvent, OpenDeletionsEvent, SelectedBy } from './events.ts';

export interface RunningDeletion {
  readonly status: 'running';
  readonly organization: string;
  readonly by: SelectedBy;
  readonly fingerprint: string;
  /** Documents that carry one of these. Empty: no restriction. */
  readonly tags: readonly string[];
  /** Exact, or a prefix if it ends in `/`. */
  readonly filepath: string | null;
  /** What the ids of the latest request came to: see `DocumentsSelected`. */
  readonly resolved: readonly string[];
  /** The documents of all requests, if they are named by their ids. */
  readonly ids: readonly string[];
}

export type BulkDeletionState =
  | { readonly status: 'absent' }
  | RunningDeletion
  | { readonly status: 'finished'; readonly documents: number; readonly unerased: number };

export const initialDeletion: BulkDeletionState = { status: 'absent' };

export const isDocumentId = (resolved: string): boolean => resolved.length === 22;

export function evolveDeletion(
  state: BulkDeletionState,
  event: Recorded<BulkDeletionEvent> | ErasedEvent,
): BulkDeletionState {
  switch (event.type) {
    case 'BulkDeletionRequested': {
      const { organization, tags, payload } = event;
      const ids = state.status === 'running' ? state.ids : [];
      return { status: 'running', organization, tags, ...payload, resolved: [], ids };
    }
    case 'DocumentsSelected': {
      if (state.status !== 'running') return state;
      const { resolved } = event.payload;
      const ids = new Set([...state.ids, ...resolved.filter(isDocumentId)]);
      return { ...state, resolved: [...state.resolved, ...resolved], ids: [...ids] };
    }
    case 'BulkDeletionFinished':
      return { status: 'finished', documents: event.sizes?.documents ?? 0, unerased: event.sizes?.unerased ?? 0 };
    case 'erased':
      return state;
  }
}

export interface OpenDeletion {
  readonly organization: string;
  readonly id: string;
}

/** Oldest first. */
export interface OpenDeletions {
  readonly open: readonly OpenDeletion[];
}

export const noneOpen: OpenDeletions = { open: [] };

export function evolveOpen(state: OpenDeletions, event: Recorded<OpenDeletionsEvent> | ErasedEvent): OpenDeletions {
  switch (event.type) {
    case 'BulkDeletionOpened':
      return { open: [...state.open, { organization: event.organization, id: event.payload.deletionId }] };
    case 'BulkDeletionClosed':
      return { open: state.open.filter(({ id }) => id !== event.payload.deletionId) };
    case 'erased':
      return state;
  }
}
