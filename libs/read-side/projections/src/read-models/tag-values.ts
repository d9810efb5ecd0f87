import { CONTAINER_TAG_EVENTS, type ContainerTagState, foldTag, initialTag } from '#features/container-tags';
import type { ReadModel } from '../read-model.ts';
import { stateModel } from '../row-models.ts';

/** What lists show of the values that callers set on tags. */
export const TAG_VALUES: ReadModel = stateModel<ContainerTagState>({
  name: 'tag_values',
  version: 1,
  columns: {
    ...{ tag: 'text', name: 'text', emoji: 'text', visibility: 'text' },
    ...{ created_at: 'number', updated_at: 'number' },
  },
  types: Object.keys(CONTAINER_TAG_EVENTS),
  initialState: initialTag,
  evolve: foldTag,
  rowsOf: (state) => {
    if (state.status !== 'set') return [];
    const { tag, name, emoji, visibility, createdAt, updatedAt } = state;
    return [{ tag, name, emoji, visibility, created_at: createdAt, updated_at: updatedAt }];
  },
});
