import type { JsonObject } from '#platform/kernel';
import { referenceTo } from './schema.ts';

const FLAG: JsonObject = { enum: [true, false, 'true', 'false'], default: false };

const group = (name: 'AND' | 'OR', description: string): JsonObject => ({
  type: 'object',
  description,
  required: [name],
  properties: {
    [name]: {
      type: 'array',
      description: 'Conditions and groups.',
      minItems: 1,
      items: {
        anyOf: ['FilterCondition', 'FilterPairs', 'FilterAnd', 'FilterOr'].map(referenceTo),
      },
    },
  },
});

/** The filter expressions of the contract (§5.1), which `parseFilter` checks. */
export const FILTER_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  Filter: {
    description: 'A group of conditions: at most 8 levels and 200 conditions.',
    oneOf: [referenceTo('FilterAnd'), referenceTo('FilterOr')],
    examples: [{ AND: [{ key: 'kind', value: 'note' }] }],
  },
  FilterAnd: group('AND', 'All of these have to hold.'),
  FilterOr: group('OR', 'At least one of these has to hold.'),
  FilterCondition: {
    type: 'object',
    description: 'A condition for one key of the metadata.',
    required: ['key', 'value'],
    properties: {
      key: { type: 'string', minLength: 1, maxLength: 255, description: 'Key of the metadata.' },
      value: { type: ['string', 'number', 'boolean'], description: 'What the value is compared with.' },
      filterType: {
        enum: ['metadata', 'numeric', 'array_contains', 'string_contains'],
        default: 'metadata',
        description: 'How values are compared. metadata: they are equal.',
      },
      numericOperator: {
        enum: ['>', '<', '>=', '<=', '='],
        default: '=',
        description: 'Comparison of numbers. Without a filterType it makes the condition numeric.',
      },
      ignoreCase: { ...FLAG, description: 'Whether upper and lower case are the same.' },
      negate: { ...FLAG, description: 'Whether the condition must not hold.' },
    },
  },
  FilterPairs: {
    type: 'object',
    description: 'Keys of the metadata with the values that they must have.',
    required: ['metadata'],
    properties: {
      metadata: {
        type: 'object',
        description: 'Values by key.',
        minProperties: 1,
        additionalProperties: { type: ['string', 'number', 'boolean'] },
      },
    },
  },
};
