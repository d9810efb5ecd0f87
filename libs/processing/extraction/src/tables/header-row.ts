import { areYears, haveEqualSteps, kindOf, kindOfColumn } from './cell-kinds.ts';

/** Longest name, and longest names of a row on average. UTF-16 code units. */
const MAX_NAME = 200;
const MAX_NAME_ON_AVERAGE = 60;

/** A row that may hold the names of columns. */
export interface HeaderCandidate {
  readonly names: readonly string[];
  /** Below each name, the words of its column. */
  readonly columns: readonly (readonly string[])[];
  /** The first column has no name. */
  readonly hasCorner: boolean;
}

/** Whether the words of a row are names rather than values. */
export function areNames({ names, columns, hasCorner }: HeaderCandidate): boolean {
  const letters = names.reduce((sum, name) => sum + name.length, 0);
  if (letters > MAX_NAME_ON_AVERAGE * names.length || names.some((name) => name.length > MAX_NAME)) return false;
  const contrast = contrasts({ names, columns });
  if (names.length > 1 && new Set(names).size === 1 && contrast < names.length) return false;
  const kinds = names.map(kindOf);
  // Words that stand in their column again are values.
  if (names.some((name, i) => kinds[i] === 'text' && columns[i]?.includes(name))) return false;
  const isValue = kinds.map((kind) => kind !== 'text');
  if (!isValue.includes(true)) return true;
  const values = names.filter((_, i) => isValue[i]);
  const below = columns.filter((_, i) => isValue[i]);
  const hasTexts = hasCorner || isValue.includes(false);
  if ((hasTexts || values.length > 1) && areYears(values, below)) return true;
  if (!hasTexts) return false;
  const atLeast = hasCorner ? 2 : 3;
  if (haveEqualSteps(values, atLeast)) {
    const rows = rowsOf(below);
    if (rows.filter((row) => haveEqualSteps(row, atLeast)).length <= rows.length / 2) return true;
  }
  const same = kinds.filter((kind, i) => isValue[i] && kind === kindOfColumn(columns[i] ?? [])).length;
  return hasCorner ? same === 0 : contrast > same;
}

/** How many names are of another kind than the numbers or dates below them. */
export const contrasts = ({ names, columns }: Pick<HeaderCandidate, 'names' | 'columns'>): number =>
  names.filter((name, i) => {
    const below = kindOfColumn(columns[i] ?? []);
    return below !== null && below !== 'text' && below !== kindOf(name);
  }).length;

const rowsOf = (columns: readonly (readonly string[])[]): string[][] => {
  const length = columns.reduce((least, column) => Math.min(least, column.length), Number.POSITIVE_INFINITY);
  return Array.from({ length }, (_, row) => columns.map((column) => column[row] ?? ''));
};
