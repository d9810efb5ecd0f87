export {
  ASKED_CATEGORY,
  ASKED_EVENTS,
  askedStream,
  decideAsked,
  evolveAsked,
} from './asked-container.ts';
export {
  type EmbeddedPassage,
  type EmbeddedTexts,
  embeddedTexts,
  embeddedTextsInTurns,
  type UnitKeys,
} from './embedded-texts.ts';
export { findVectors, type VectorSource } from './find-vectors.ts';
export { isOtherLanguage, LANGUAGE_SPACES, ownSpace, withLanguageSpaces } from './language-spaces.ts';
export { membersOf } from './members.ts';
export { tokenKey } from './token-key.ts';
export {
  decideAdopt,
  decideBegin,
  decideSelect,
  evolveVectorSpace,
  initialVectorSpace,
  VECTOR_SPACE_EVENTS,
  type VectorSpaceEvent,
  type VectorSpaceState,
} from './vector-space.ts';
