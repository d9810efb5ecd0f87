import type { MetadataValue } from '#platform/kernel';
import type { Condition, Filter, FilterableMetadata, NumericCondition, TextCondition } from './filter.ts';
import { foldCase } from './fold-case.ts';
import { numberIn } from './numbers.ts';
import { elementsOf, textForm } from './values.ts';

/** Reference semantics of filters; every adapter must return the same result. */
export function matchesFilter(filter: Filter, metadata: FilterableMetadata | null): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.nodes.every((node) => matchesFilter(node, metadata));
    case 'or':
      return filter.nodes.some((node) => matchesFilter(node, metadata));
    default:
      return matchesCondition(filter, metadata ?? {});
  }
}

function matchesCondition(condition: Condition, metadata: FilterableMetadata): boolean {
  const values = Object.entries(metadata)
    .filter(([key]) => key.toWellFormed() === condition.key)
    .map(([, value]) => value);
  if (condition.kind === 'numeric') {
    if (condition.operator === '!=') return !values.some((value) => compares({ ...condition, operator: '=' }, value));
    return values.some((value) => compares(condition, value));
  }
  return values.some((value) => holds(condition, value)) !== condition.negate;
}

function holds(condition: TextCondition, value: MetadataValue | readonly string[]): boolean {
  const form = (text: string) => (condition.ignoreCase ? foldCase(text) : text);
  const text = form(textForm(value));
  switch (condition.kind) {
    case 'equals':
      return text === condition.value || (typeof value === 'number' && value === condition.number);
    case 'contains':
      return text.includes(condition.value);
    case 'arrayContains':
      return (elementsOf(value) ?? [textForm(value)]).some((element) => form(element) === condition.value);
  }
}

function compares({ operator, value: bound }: NumericCondition, value: MetadataValue | readonly string[]): boolean {
  const number = typeof value === 'string' ? numberIn(value) : value;
  if (typeof number !== 'number') return false;
  switch (operator) {
    case '=':
      return number === bound;
    case '!=':
      return number !== bound;
    case '<':
      return number < bound;
    case '<=':
      return number <= bound;
    case '>':
      return number > bound;
    case '>=':
      return number >= bound;
  }
}
