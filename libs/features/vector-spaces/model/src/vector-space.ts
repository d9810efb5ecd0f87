import {
  type ErasedEvent,
  type EventCatalogue,
  type EventOf,
  err,
  ok,
  type Recorded,
  type Result,
} from '#platform/kernel';

export type VectorSpaceBegun = EventOf<'VectorSpaceBegun', { readonly space: string }>;
export type VectorSpaceSelected = EventOf<'VectorSpaceSelected', { readonly space: string }>;
export type VectorSpaceAbandoned = EventOf<'VectorSpaceAbandoned', { readonly space: string }>;
export type VectorSpaceEvent = VectorSpaceBegun | VectorSpaceSelected | VectorSpaceAbandoned;

export const VECTOR_SPACE_EVENTS: EventCatalogue<VectorSpaceEvent> = {
  VectorSpaceBegun: { version: 1, payload: true },
  VectorSpaceSelected: { version: 1, payload: true },
  VectorSpaceAbandoned: { version: 1, payload: true },
};

/** The spaces of a group, for all organizations. */
export interface VectorSpaceState {
  /** Searched. Null: none was selected yet, so the group's initial space serves. */
  readonly serving: string | null;
  /** Being built: documents are embedded in it and in the serving one. Null: none is being built. */
  readonly coming: string | null;
  /** How often a space was selected or abandoned. */
  readonly choices: number;
}

export const initialVectorSpace: VectorSpaceState = { serving: null, coming: null, choices: 0 };

export function evolveVectorSpace(
  state: VectorSpaceState,
  event: Recorded<VectorSpaceEvent> | ErasedEvent,
): VectorSpaceState {
  switch (event.type) {
    case 'VectorSpaceBegun':
      return { ...state, coming: event.payload.space };
    case 'VectorSpaceAbandoned':
      return { ...state, coming: null, choices: state.choices + 1 };
    case 'VectorSpaceSelected':
      return { serving: event.payload.space, coming: null, choices: state.choices + 1 };
    case 'erased':
      return state;
  }
}

/**
 * Begins to build a space, which replaces one that is being built. Records nothing if it is being built already. For the
 * serving space, the one that is being built is abandoned.
 * @param initial serves until a space is selected
 */
export function decideBegin(state: VectorSpaceState, space: string, initial: string): readonly VectorSpaceEvent[] {
  if (space === (state.serving ?? initial)) {
    return state.coming === null ? [] : [{ type: 'VectorSpaceAbandoned', payload: { space: state.coming } }];
  }
  return space === state.coming ? [] : [{ type: 'VectorSpaceBegun', payload: { space } }];
}

/** Makes a space the serving one of a log without documents. Records nothing if another one was selected or begun. */
export const decideAdopt = (state: VectorSpaceState, space: string): readonly VectorSpaceSelected[] =>
  state.serving === null && state.coming === null ? [{ type: 'VectorSpaceSelected', payload: { space } }] : [];

/** Makes a space that was built the serving one. `superseded`: another space is being built, or none. */
export function decideSelect(
  state: VectorSpaceState,
  space: string,
): Result<readonly VectorSpaceSelected[], 'superseded'> {
  if (state.serving === space) return ok([]);
  if (state.coming !== space) return err('superseded');
  return ok([{ type: 'VectorSpaceSelected', payload: { space } }]);
}
