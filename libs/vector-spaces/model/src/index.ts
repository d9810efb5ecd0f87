export { embeddedTexts, embeddedTextsInTurns, type UnitKeys, vectorKey } from './embedded-texts.ts';
export { findVectors, type VectorSource } from './find-vectors.ts';
export {
  decideBegin,
  decideSelect,
  evolveVectorSpace,
  initialVectorSpace,
  VECTOR_SPACE_EVENTS,
  type VectorSpaceEvent,
  type VectorSpaceState,
} from './vector-space.ts';
