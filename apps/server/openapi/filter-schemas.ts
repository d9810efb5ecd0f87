import type { JsonObject } from '#kernel';

const SWITCH: JsonObject = { enum: [true, false, 'true', 'false'], default: false };

/** The filter expressions of the contract (§5.1), which `parseFilter` checks. */
export const FILTER_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  FilterGroup: {
    type: 'object',
    description: 'Exactly one of AND and OR, not empty; at most 8 levels and 200 conditions.',
    minProperties: 1,
    maxProperties: 1,
    properties: Object.fromEntries(
      ['AND', 'OR'].map((name) => [
        name,
        {
          type: 'array',
          minItems: 1,
          items: {
            oneOf: [{ $ref: '#/components/schemas/FilterGroup' }, { $ref: '#/components/schemas/FilterCondition' }],
          },
        },
      ]),
    ),
  },
  FilterCondition: {
    type: 'object',
    required: ['key', 'value'],
    properties: {
      key: { type: 'string', minLength: 1, maxLength: 255 },
      value: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
      filterType: { enum: ['metadata', 'numeric', 'array_contains', 'string_contains'], default: 'metadata' },
      numericOperator: { enum: ['>', '<', '>=', '<=', '='], default: '=' },
      ignoreCase: SWITCH,
      negate: SWITCH,
    },
  },
};
