/** In the name of a space, the version says how texts are embedded. Since this one, units of a document share windows. */
const WINDOWS_SINCE = 2;

/**
 * Whether units of a document share windows in a space. In spaces of a lower version each unit is embedded on its own, and
 * once more with its neighbours.
 * @param space e.g. `e5-small-v2-q.2.384`: the model, the version, the dimensions
 */
export const sharesWindows = (space: string): boolean => Number(space.split('.')[1]) >= WINDOWS_SINCE;
