import fc from 'fast-check';
import { arbitraryConditionInput, arbitraryFilterInput, arbitraryMetadata } from './arbitrary.ts';
import type { Condition, Filter, FilterableMetadata } from './filter.ts';
import { foldCase } from './fold-case.ts';
import { matchesFilter } from './matches.ts';
import { parseFilter } from './parse.ts';
import { type MetadataRow, metadataRows } from './rows.ts';

function parsed(input: unknown): Filter {
  const result = parseFilter(input);
  if (!result.ok) throw new Error(`${result.error.details}: ${result.error.message}`);
  return result.value;
}

function rejectedAt(input: unknown): string {
  const result = parseFilter(input);
  return result.ok ? 'accepted' : result.error.details;
}

const matches = (condition: unknown, metadata: FilterableMetadata | null): boolean =>
  matchesFilter(parsed({ AND: [condition] }), metadata);

describe('the examples of the contract, on {status: "Draft", n: 5, ok: true}', () => {
  test.each<[object, boolean]>([
    [{ key: 'status', value: 'draft' }, false],
    [{ key: 'status', value: 'draft', ignoreCase: 'true' }, true],
    [{ key: 'status', value: 'draft', negate: true }, true],
    [{ key: 'ok', value: 'true' }, true],
    [{ key: 'n', value: '5' }, true],
    [{ key: 'n', value: '5.0' }, true],
    [{ key: 'n', value: '5', filterType: 'numeric', numericOperator: '<', negate: true }, true],
    [{ key: 'n', value: '5', filterType: 'numeric', negate: true }, false],
    [{ key: 'missing', value: 'x', negate: true }, true],
    [{ key: 'status', value: 'D%', filterType: 'string_contains' }, false],
    [{ key: 'status', value: 'raf', filterType: 'string_contains' }, true],
    [{ key: "status') OR 1=1 --", value: 'x' }, false],
  ])('%j: %s', (condition, expected) => {
    expect(matches(condition, { status: 'Draft', n: 5, ok: true })).toBe(expected);
  });
});

describe('semantics', () => {
  test.each<[string, object, FilterableMetadata, boolean]>([
    ['equality compares a numeric text as text', { key: 'k', value: '5.0' }, { k: '5' }, false],
    [
      'an order compares a numeric text as a number',
      { key: 'k', value: 4, filterType: 'numeric', numericOperator: '>' },
      { k: ' 5.0 ' },
      true,
    ],
    ['a boolean is not a number', { key: 'k', value: 1, filterType: 'numeric' }, { k: true }, false],
    [
      'every present value contains the empty string',
      { key: 'k', value: '', filterType: 'string_contains' },
      { k: 0 },
      true,
    ],
    [
      'a missing value does not contain the empty string',
      { key: 'x', value: '', filterType: 'string_contains' },
      { k: 0 },
      false,
    ],
    ['a scalar is a list of one element', { key: 'k', value: 'a', filterType: 'array_contains' }, { k: 'a' }, true],
    [
      'a text with a JSON array is a list',
      { key: 'k', value: '5', filterType: 'array_contains' },
      { k: '["a",5]' },
      true,
    ],
    [
      'a text with a JSON array is not a scalar',
      { key: 'k', value: '["a"]', filterType: 'array_contains' },
      { k: '["a"]' },
      false,
    ],
    [
      'a JSON array with null is not a list',
      { key: 'k', value: 'a', filterType: 'array_contains' },
      { k: '["a",null]' },
      false,
    ],
    [
      'ignoreCase folds elements',
      { key: 'k', value: 'STRASSE', filterType: 'array_contains', ignoreCase: true },
      { k: ['Straße'] },
      true,
    ],
    [
      'the text of a list is its JSON',
      { key: 'k', value: '"a","b"', filterType: 'string_contains' },
      { k: ['a', 'b'] },
      true,
    ],
    [
      'a missing number does not match a negated order',
      { key: 'x', value: 5, numericOperator: '>', negate: true },
      {},
      false,
    ],
    [
      'a missing number matches a negated equality',
      { key: 'x', value: 5, numericOperator: '=', negate: true },
      {},
      true,
    ],
    ['a key is not a path', { key: 'a.b', value: '1' }, { 'a.b': 1 }, true],
    ['inherited properties do not match', { key: 'constructor', value: '', filterType: 'string_contains' }, {}, false],
  ])('%s', (_, condition, metadata, expected) => {
    expect(matches(condition, metadata)).toBe(expected);
  });
});

describe('parseFilter', () => {
  const leaf = { key: 'k', value: 'v' };
  const nested = (levels: number): unknown => (levels === 1 ? { AND: [leaf] } : { OR: [nested(levels - 1)] });

  test('converts every field to the normal form', () => {
    expect(
      parsed({
        AND: [
          { key: 'a', value: 'X', ignoreCase: 'true', unknown: 1 },
          { OR: [{ key: 'b', value: 2, numericOperator: '<=', negate: 'true' }] },
          { metadata: { c: true, d: 'x' } },
        ],
      }),
    ).toEqual({
      kind: 'and',
      nodes: [
        { kind: 'equals', key: 'a', value: 'x', number: null, ignoreCase: true, negate: false },
        { kind: 'or', nodes: [{ kind: 'numeric', key: 'b', operator: '>', value: 2 }] },
        {
          kind: 'and',
          nodes: [
            { kind: 'equals', key: 'c', value: 'true', number: null, ignoreCase: false, negate: false },
            { kind: 'equals', key: 'd', value: 'x', number: null, ignoreCase: false, negate: false },
          ],
        },
      ],
    });
  });

  test.each<[string, unknown, string]>([
    ['a bare condition', leaf, 'filters'],
    ['a plain map', { status: 'draft' }, 'filters'],
    ['both keys', { AND: [leaf], OR: [leaf] }, 'filters'],
    ['a key beside the group', { AND: [leaf], status: 'draft' }, 'filters'],
    ['an empty group', { AND: [] }, 'filters.AND'],
    ['a group that is not a list', { OR: leaf }, 'filters.OR'],
    ['malformed JSON text', '{"AND":', 'filters'],
    ['JSON text that is not a group', '"x"', 'filters'],
    ['null', null, 'filters'],
    ['a list', [leaf], 'filters'],
    ['no key', { AND: [{ value: 'x' }] }, 'filters.AND[0].key'],
    ['a long key', { AND: [{ key: 'k'.repeat(256), value: 'x' }] }, 'filters.AND[0].key'],
    ['no value', { AND: [leaf, { key: 'k' }] }, 'filters.AND[1].value'],
    ['a value that is not a scalar', { AND: [{ key: 'k', value: {} }] }, 'filters.AND[0].value'],
    [
      'a value that is not a number',
      { AND: [{ key: 'k', value: 'x', filterType: 'numeric' }] },
      'filters.AND[0].value',
    ],
    [
      'a value that is not finite',
      { AND: [{ key: 'k', value: '1e999', numericOperator: '<' }] },
      'filters.AND[0].value',
    ],
    ['an unknown type', { AND: [{ ...leaf, filterType: 'regex' }] }, 'filters.AND[0].filterType'],
    ['an unknown operator', { AND: [{ ...leaf, numericOperator: '!=' }] }, 'filters.AND[0].numericOperator'],
    ['an unknown flag', { OR: [{ AND: [{ ...leaf, negate: 'yes' }] }] }, 'filters.OR[0].AND[0].negate'],
    ['metadata without pairs', { AND: [{ metadata: {} }] }, 'filters.AND[0].metadata'],
    ['nine levels', nested(9), `filters${'.OR[0]'.repeat(8)}`],
    ['201 conditions', { AND: Array(201).fill(leaf) }, 'filters.AND[200]'],
  ])('rejects %s', (_, input, path) => {
    expect(rejectedAt(input)).toBe(path);
  });

  test('accepts eight levels and 200 conditions', () => {
    expect(rejectedAt(nested(8))).toBe('accepted');
    expect(rejectedAt({ AND: Array(200).fill(leaf) })).toBe('accepted');
  });

  test('rejects very deep JSON text without a stack overflow', () => {
    expect(rejectedAt('{"AND":['.repeat(100_000))).toBe('filters');
    expect(rejectedAt(`${'{"AND":['.repeat(5000)}1${']}'.repeat(5000)}`)).toMatch(/^filters/);
  });

  test('rejects text that would block its thread, without parsing it', () => {
    expect(rejectedAt(`{"AND":[{"key":"a","value":"${'x'.repeat(1_100_000)}"}]}`)).toBe('filters');
    expect(rejectedAt(`{"AND":[${'{},'.repeat(250_000)}{}]}`)).toBe('filters');
  });

  test('gives the same filter for a group and its JSON text', () => {
    fc.assert(
      fc.property(arbitraryFilterInput, (input) => {
        expect(parseFilter(JSON.stringify(input))).toEqual(parseFilter(input));
      }),
    );
  });

  test('returns a filter or a path for any input', () => {
    fc.assert(
      fc.property(fc.anything(), (input) => {
        const result = parseFilter(input);
        if (!result.ok) expect(result.error.details).toMatch(/^filters/);
      }),
    );
  });
});

describe('matchesFilter', () => {
  test('negation is the complement, except for numeric order', () => {
    fc.assert(
      fc.property(arbitraryConditionInput, arbitraryMetadata, (input, metadata) => {
        const ordered = 'numericOperator' in input && input.numericOperator !== '=';
        const plain = matches({ ...input, negate: false }, metadata);
        const negated = matches({ ...input, negate: true }, metadata);
        if (ordered) expect(plain && negated).toBe(false);
        else expect(negated).toBe(!plain);
      }),
    );
  });

  test('OR is true if one node is true, AND if all are', () => {
    fc.assert(
      fc.property(fc.array(arbitraryConditionInput, { minLength: 1 }), arbitraryMetadata, (nodes, metadata) => {
        const each = nodes.map((node) => matches(node, metadata));
        expect(matchesFilter(parsed({ OR: nodes }), metadata)).toBe(each.includes(true));
        expect(matchesFilter(parsed({ AND: nodes }), metadata)).toBe(!each.includes(false));
      }),
    );
  });

  test('a case-sensitive match also matches with ignoreCase', () => {
    fc.assert(
      fc.property(arbitraryConditionInput, arbitraryMetadata, (input, metadata) => {
        if (matches({ ...input, negate: false, ignoreCase: false }, metadata)) {
          expect(matches({ ...input, negate: false, ignoreCase: true }, metadata)).toBe(true);
        }
      }),
    );
  });
});

describe('metadataRows', () => {
  /** Implements the table in the doc comment of MetadataRow. */
  function answer(filter: Filter, rows: readonly MetadataRow[]): boolean {
    if (filter.kind === 'and') return filter.nodes.every((node) => answer(node, rows));
    if (filter.kind === 'or') return filter.nodes.some((node) => answer(node, rows));
    const holdsForRow = rows.some((row) => row.key === filter.key && holds(filter, row));
    const negated = filter.kind === 'numeric' ? filter.operator === '!=' : filter.negate;
    return holdsForRow !== negated;
  }

  function holds(condition: Condition, row: MetadataRow): boolean {
    if (condition.kind === 'numeric') {
      if (!row.whole || row.number === null) return false;
      const { value } = condition;
      const answers = {
        '=': row.number === value,
        '!=': row.number === value,
        '<': row.number < value,
        '<=': row.number <= value,
        '>': row.number > value,
        '>=': row.number >= value,
      };
      return answers[condition.operator];
    }
    const text = condition.ignoreCase ? row.folded : row.text;
    if (condition.kind === 'arrayContains') return row.element && text === condition.value;
    if (condition.kind === 'contains') return row.whole && text.includes(condition.value);
    const sameNumber = row.isNumber && condition.number !== null && row.number === condition.number;
    return row.whole && (text === condition.value || sameNumber);
  }

  test('match every filter that the metadata match', () => {
    fc.assert(
      fc.property(arbitraryFilterInput, arbitraryMetadata, (input, metadata) => {
        const filter = parsed(input);
        expect(answer(filter, metadataRows(metadata))).toBe(matchesFilter(filter, metadata));
      }),
      { numRuns: 1000 },
    );
  });

  test('a scalar gives one row, a list one more for each distinct element', () => {
    expect(metadataRows({ n: 5, list: ['A', 'A'] })).toEqual([
      { key: 'n', text: '5', folded: '5', number: 5, isNumber: true, whole: true, element: true },
      {
        key: 'list',
        text: '["A","A"]',
        folded: '["a","a"]',
        number: null,
        isNumber: false,
        whole: true,
        element: false,
      },
      { key: 'list', text: 'A', folded: 'a', number: null, isNumber: false, whole: false, element: true },
    ]);
    expect(metadataRows(null)).toEqual([]);
  });
});

test('foldCase is idempotent and equal for upper and lower case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(foldCase(foldCase(text))).toBe(foldCase(text));
    }),
  );
  expect(foldCase('STRASSE')).toBe(foldCase('Straße'));
  expect(foldCase('ΟΔΟΣ')).toBe(foldCase('οδος'));
  expect(foldCase('é')).not.toBe(foldCase('e'));
});
