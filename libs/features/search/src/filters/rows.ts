import type { MetadataValue } from '#platform/kernel';
import type { FilterableMetadata } from './filter.ts';
import { foldCase } from './fold-case.ts';
import { numberIn } from './numbers.ts';
import { elementsOf, textForm } from './values.ts';

/**
 * Metadata as rows. Every condition of a filter can be evaluated on the rows alone.
 *
 * A scalar is one row that is both `whole` and `element`. A list, and a string that is a JSON array of scalars, is one
 * `whole` row and one `element` row for each distinct element.
 *
 * Among the rows of one document with `key` = condition.key, and with T = `folded` if condition.ignoreCase, else `text`:
 *
 * | condition     | holds if some row has                                                                          |
 * |---------------|------------------------------------------------------------------------------------------------|
 * | equals        | whole and (T = value, or isNumber and condition.number is not null and number = condition.number) |
 * | contains      | whole and T contains value literally (the empty value is contained in every T)                 |
 * | arrayContains | element and T = value                                                                          |
 * | numeric       | whole and number is not null and number `operator` value                                       |
 *
 * `negate` on the first three, and the numeric operator `!=` (of `=`), hold if no row does so.
 */
export interface MetadataRow {
  /** Well-formed Unicode, like `text` and `folded`, so that a database returns it unchanged. */
  readonly key: string;
  readonly text: string;
  readonly folded: string;
  /** The value of a number or numeric text; null on every row that is not whole. */
  readonly number: number | null;
  /** True if the stored value is a number, so that 5 equals "5.0". */
  readonly isNumber: boolean;
  readonly whole: boolean;
  readonly element: boolean;
}

export function metadataRows(metadata: FilterableMetadata | null): MetadataRow[] {
  return Object.entries(metadata ?? {}).flatMap(([key, value]) => rowsOf(key.toWellFormed(), value));
}

function rowsOf(key: string, value: MetadataValue | readonly string[]): MetadataRow[] {
  const text = textForm(value);
  const elements = elementsOf(value);
  const whole: MetadataRow = {
    key,
    text,
    folded: foldCase(text),
    number: typeof value === 'boolean' ? null : numberIn(text),
    isNumber: typeof value === 'number',
    whole: true,
    element: elements === null,
  };
  if (elements === null) return [whole];
  const distinct = [...new Set(elements)];
  return [
    whole,
    ...distinct.map((element) => ({
      key,
      text: element,
      folded: foldCase(element),
      number: null,
      isNumber: false,
      whole: false,
      element: true,
    })),
  ];
}
