export type CellKind = 'number' | 'date' | 'text';

/** Longer words are text. UTF-16 code units. */
const MAX_VALUE = 40;
const NUMBER = /^[-+−(]?[€$£¥]? ?\d[\d.,'’\u00a0\u202f ]*\)?[-]?(?: ?[%€$£¥])?$/;
const DATE = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T ]\d{1,2}:\d\d\S{0,12})?$|^\d{1,4}:\d\d(?::\d\d)?$/;
const YEAR = /^(?:18|19|20)\d\d$/;

export function kindOf(words: string): CellKind {
  if (words.length > MAX_VALUE) return 'text';
  if (DATE.test(words)) return 'date';
  return NUMBER.test(words) ? 'number' : 'text';
}

/** Returns the kind that more than half of the cells of a column have, or `text` if no kind has so many. Null: the column is empty. */
export function kindOfColumn(column: readonly string[]): CellKind | null {
  if (column.length === 0) return null;
  const kinds = column.map(kindOf);
  const isMost = (kind: CellKind) => kinds.filter((one) => one === kind).length > kinds.length / 2;
  return isMost('number') ? 'number' : isMost('date') ? 'date' : 'text';
}

/** Whether these are different years, each over a column of other values. */
export const areYears = (numbers: readonly string[], columns: readonly (readonly string[])[]): boolean =>
  numbers.every((number) => YEAR.test(number)) &&
  columns.every((column) => column.filter((words) => YEAR.test(words)).length <= column.length / 2);

/** Whether whole numbers, of which at least so many differ, have equal steps: 1, 2, 3 or 10, 20, 30. */
export function haveEqualSteps(words: readonly string[], atLeast: number): boolean {
  const numbers = words.filter((number, i) => number !== words[i - 1]);
  if (numbers.length < atLeast || !numbers.every((number) => /^\d{1,9}$/.test(number))) return false;
  const steps = numbers.slice(1).map((number, i) => Number(number) - Number(numbers[i]));
  return steps[0] !== 0 && steps.every((step) => step === steps[0]);
}
