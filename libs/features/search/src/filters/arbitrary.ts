import fc from 'fast-check';
import type { FilterableMetadata } from './filter.ts';

/**
 * Random filters and metadata, for specs only. They match often: few keys, and values that differ in case, spelling of
 * numbers, wildcards and quotes. `parseFilter` accepts every input.
 */
const keys = fc.constantFrom('status', 'n', "q') OR 1=1 --", 'a.b', 'Ключ', 'list', '__proto__x');

const texts = fc.oneof(
  fc.constantFrom(
    ...[
      'Draft',
      'draft',
      'DRAFT',
      '',
      '%',
      '_',
      '\\',
      "'",
      '"',
      '5',
      '5.0',
      ' 5 ',
      '-0',
      '1e3',
      '1000',
      'true',
      'false',
    ],
    ...['Straße', 'STRASSE', 'ΟΔΟΣ', 'οδος', 'é', 'e\u0301', '\ud800', '\ufffd', 'a\0b', '日本語'],
    ...['["a","B",5]', '[true]', '[]', '["a",null]', '[1', 'a', 'b', 'B'],
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const numbers = fc.oneof(fc.constantFrom(5, -0, 0, 1000, 0.1, 1e21, -3.5), fc.integer({ min: -6, max: 6 }));

export const arbitraryMetadata: fc.Arbitrary<FilterableMetadata | null> = fc.option(
  fc.dictionary(keys, fc.oneof(texts, numbers, fc.boolean(), fc.array(texts, { maxLength: 3 })), { maxKeys: 4 }),
  { freq: 12 },
);

const flags = fc.constantFrom<undefined | boolean | string>(undefined, true, false, 'true', 'false');

const textCondition = fc.record(
  {
    key: keys,
    value: fc.oneof(texts, numbers, fc.boolean()),
    filterType: fc.constantFrom('metadata', 'string_contains', 'array_contains'),
    ignoreCase: flags,
    negate: flags,
  },
  { requiredKeys: ['key', 'value', 'filterType'] },
);

const numericCondition = fc.record(
  {
    key: keys,
    value: fc.oneof(numbers, numbers.map(String)),
    filterType: fc.constant('numeric'),
    numericOperator: fc.constantFrom('>', '<', '>=', '<=', '='),
    negate: flags,
  },
  { requiredKeys: ['key', 'value', 'filterType'] },
);

export const arbitraryConditionInput = fc.oneof(textCondition, numericCondition);

interface GroupInput {
  readonly AND?: readonly unknown[];
  readonly OR?: readonly unknown[];
}

/** A group as in a request body, at most five levels deep. */
export const arbitraryFilterInput: fc.Arbitrary<GroupInput> = fc.letrec<{ group: GroupInput; node: unknown }>((tie) => {
  const nodes = fc.array(tie('node'), { minLength: 1, maxLength: 4 });
  return {
    group: fc.oneof(
      nodes.map((AND) => ({ AND })),
      nodes.map((OR) => ({ OR })),
    ),
    node: fc.oneof({ depthSize: 'small', maxDepth: 4 }, arbitraryConditionInput, tie('group')),
  };
}).group;
