import { type ErasedEvent, type EventCatalogue, type EventOf, err, ok, type Recorded, type Result } from '#kernel';

export type VectorSpaceBegun = EventOf<'VectorSpaceBegun', { readonly space: string }>;
export type VectorSpaceSelected = EventOf<'VectorSpaceSelected', { readonly space: string }>;
export type VectorSpaceAbandoned = EventOf<'VectorSpaceAbandoned', { readonly space: string }>;
export type VectorSpaceEvent = VectorSpaceBegun | VectorSpaceSelected | VectorSpaceAbandoned;

export const VECTOR_SPACE_EVENTS: EventCatalogue<VectorSpaceEvent> = {
  VectorSpaceBegun: { version: 1, payload: true },
  VectorSpaceSelected: { version: 1, payload: true },
  VectorSpaceAbandoned: { version: 1, payload: true },
};

/** The vector spaces of all organizations: the stream `vector-space`. */
export interface VectorSpaceState {
  /** In which documents are found. Null: none was selected yet, so that of the default model. */
  readonly serving: string | null;
  /** Built beside the serving one: documents are embedded in both. Null: none is being built. */
  readonly coming: string | null;
}

export const initialVectorSpace: VectorSpaceState = { serving: null, coming: null };

export function evolveVectorSpace(
  state: VectorSpaceState,
  event: Recorded<VectorSpaceEvent> | ErasedEvent,
): VectorSpaceState {
  switch (event.type) {
    case 'VectorSpaceBegun':
      return { ...state, coming: event.payload.space };
    case 'VectorSpaceAbandoned':
      return { ...state, coming: null };
    case 'VectorSpaceSelected':
      return { serving: event.payload.space, coming: null };
    case 'erased':
      return state;
  }
}

/**
 * Begins to build a space; it replaces one that is being built. Nothing is recorded if it is being built already. If it is
 * the serving one, what is being built beside it is abandoned.
 * @param fallback serves as long as none was selected
 */
export function decideBegin(state: VectorSpaceState, space: string, fallback: string): readonly VectorSpaceEvent[] {
  if (space === (state.serving ?? fallback)) {
    return state.coming === null ? [] : [{ type: 'VectorSpaceAbandoned', payload: { space: state.coming } }];
  }
  return space === state.coming ? [] : [{ type: 'VectorSpaceBegun', payload: { space } }];
}

/** Every document can be found in the space: it serves from now on. `superseded`: another one is being built, or none. */
export function decideSelect(
  state: VectorSpaceState,
  space: string,
): Result<readonly VectorSpaceSelected[], 'superseded'> {
  if (state.serving === space) return ok([]);
  if (state.coming !== space) return err('superseded');
  return ok([{ type: 'VectorSpaceSelected', payload: { space } }]);
}
