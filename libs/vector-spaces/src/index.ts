export { VECTOR_SPACE_EVENTS, type VectorSpaceEvent, type VectorSpaceState } from './vector-space.ts';
export { VECTOR_SPACE_CATEGORY, VectorSpaces, vectorSpaceOf } from './vector-spaces.ts';
