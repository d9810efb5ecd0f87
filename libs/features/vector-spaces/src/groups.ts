import { LANGUAGE_SPACES } from '#features/vector-spaces/model';
import { MODELS } from '#ports/models';

/** Vector spaces of which one serves at a time: another model for the same texts replaces it. */
export interface SpaceGroup {
  readonly name: string;
  /** Serves until a space is selected. */
  readonly initialSpace: string;
}

/** The group of the events without the name of a group. */
export const DEFAULT_GROUP: SpaceGroup = {
  name: 'default',
  initialSpace: MODELS[0].space.name,
};

/** The group of documents in other languages than English. */
export const LANGUAGES_GROUP: SpaceGroup = {
  name: 'languages',
  initialSpace: LANGUAGE_SPACES[0],
};

/** The group that a space serves in. */
export const groupOf = (space: string): SpaceGroup =>
  LANGUAGE_SPACES.includes(space) ? LANGUAGES_GROUP : DEFAULT_GROUP;

export const GROUPS: readonly SpaceGroup[] = [DEFAULT_GROUP, LANGUAGES_GROUP];

/** Category of the streams of all groups, for subscriptions. */
export const VECTOR_SPACE_CATEGORY = 'vector';

/** The stream in which the spaces of a group are recorded. */
export const groupStream = ({ name }: SpaceGroup): string =>
  name === DEFAULT_GROUP.name ? 'vector-space' : `vector-space-${name}`;
