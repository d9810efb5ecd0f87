import type { SQLInputValue } from 'node:sqlite';
import type { Condition, Filter } from '#features/search';

/** An SQL condition and the values of its placeholders, in their order. */
export interface Sql {
  readonly sql: string;
  readonly params: readonly SQLInputValue[];
}

export function allOf(conditions: readonly Sql[]): Sql {
  return joined(conditions, 'AND', 'TRUE');
}

function joined(conditions: readonly Sql[], operator: 'AND' | 'OR', none: string): Sql {
  if (conditions.length === 0) return { sql: none, params: [] };
  return {
    sql: `(${conditions.map((condition) => condition.sql).join(` ${operator} `)})`,
    params: conditions.flatMap((condition) => condition.params),
  };
}

/**
 * Translates a filter to SQL that is true for the same documents as `matchesFilter`, on the rows of `metadataRows`.
 * Keys and values are always bound. Substrings are found by instr(), which has no wildcards.
 * @param document SQL for the number of the document, e.g. `documents.no`
 */
export function filterToSql(filter: Filter, document: string): Sql {
  switch (filter.kind) {
    case 'and':
      return joined(nodes(filter.nodes, document), 'AND', 'TRUE');
    case 'or':
      return joined(nodes(filter.nodes, document), 'OR', 'FALSE');
    default:
      return condition(filter, document);
  }
}

const nodes = (filters: readonly Filter[], document: string): Sql[] =>
  filters.map((node) => filterToSql(node, document));

function condition(c: Condition, document: string): Sql {
  if (c.kind === 'numeric') {
    // A row without a number compares as null, which EXISTS takes as false.
    const operator = c.operator === '!=' ? '=' : c.operator;
    return someRow(
      document,
      c.key,
      { sql: `whole = 1 AND number ${operator} ?`, params: [c.value] },
      c.operator === '!=',
    );
  }
  const text = c.ignoreCase ? 'coalesce(folded, text)' : 'text';
  switch (c.kind) {
    case 'equals': {
      const same =
        c.number === null
          ? { sql: `whole = 1 AND ${text} = ?`, params: [c.value] }
          : { sql: `whole = 1 AND (${text} = ? OR (is_number = 1 AND number = ?))`, params: [c.value, c.number] };
      return someRow(document, c.key, same, c.negate);
    }
    case 'contains':
      return someRow(document, c.key, { sql: `whole = 1 AND instr(${text}, ?) > 0`, params: [c.value] }, c.negate);
    case 'arrayContains':
      return someRow(document, c.key, { sql: `element = 1 AND ${text} = ?`, params: [c.value] }, c.negate);
  }
}

function someRow(document: string, key: string, test: Sql, negate: boolean): Sql {
  return {
    sql: `${negate ? 'NOT ' : ''}EXISTS (SELECT 1 FROM metadata WHERE document = ${document} AND key = ? AND ${test.sql})`,
    params: [key, ...test.params],
  };
}
