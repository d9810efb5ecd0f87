import { err, ok, type Result } from '#kernel';
import type { Decided, Happened } from '../happened.ts';

/**
 * In which vector space documents are found: the stream `vector-space`. A second space is built beside the one that serves,
 * and takes over with one event.
 */
export interface VectorSpaceState {
  /** Null: none was chosen yet, so that of the default model. */
  readonly serving: string | null;
  /** What becomes ready to be found is embedded in this space as well. Null: none is being built. */
  readonly coming: string | null;
}

export const initialVectorSpace: VectorSpaceState = { serving: null, coming: null };

export function evolveVectorSpace(state: VectorSpaceState, { envelope, payload }: Happened): VectorSpaceState {
  const { space } = (payload ?? {}) as { space: string };
  switch (envelope.type) {
    case 'VectorSpaceBegun':
      return { ...state, coming: space };
    case 'VectorSpaceAbandoned':
      return { ...state, coming: null };
    case 'VectorSpaceSelected':
      return { serving: space, coming: null };
    default:
      return state;
  }
}

/**
 * A space is to be built; of two that are begun the later one counts. Nothing, where it is being built already; where it is
 * the serving one, what is being built beside it is given up.
 * @param fallback serves as long as none was chosen
 */
export function decideBegin(state: VectorSpaceState, space: string, fallback: string): readonly Decided[] {
  if (space === (state.serving ?? fallback)) {
    return state.coming === null ? [] : [{ type: 'VectorSpaceAbandoned', payload: { space: state.coming } }];
  }
  return space === state.coming ? [] : [{ type: 'VectorSpaceBegun', payload: { space } }];
}

/** Every document can be found in the space: it serves from now on. `superseded`: another one is being built by now, or none. */
export function decideSelect(state: VectorSpaceState, space: string): Result<readonly Decided[], 'superseded'> {
  if (state.serving === space) return ok([]);
  if (state.coming !== space) return err('superseded');
  return ok([{ type: 'VectorSpaceSelected', payload: { space } }]);
}
