/** Whether two lists have the same items in the same order. */
export const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, i) => one === b[i]);

/** Whether a document has other tags than before, in whatever order. */
export const haveOtherTags = (before: readonly string[], after: readonly string[]): boolean =>
  before.some((tag) => !after.includes(tag)) || after.some((tag) => !before.includes(tag));
