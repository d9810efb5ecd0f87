import type { Json, JsonObject } from '#platform/kernel';
import { rulesOf } from './class-validator.ts';
import { isNullable } from './nullable.ts';
import { fieldsOf } from './read-input.ts';
import { type InputClass, Rule } from './rule.ts';

/** What the rules of a field say, as JSON Schema. */
export interface FieldSchema {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonObject;
}

/**
 * Returns the schemas of the fields that a class declares, with their defaults.
 * @param schemaOf returns the schema of an object, and of the objects in a list, by the class of its fields
 */
export function fieldSchemas(type: InputClass, schemaOf: (nested: InputClass) => JsonObject): readonly FieldSchema[] {
  const rules = rulesOf(type);
  const defaults = new type() as Readonly<Record<string, unknown>>;
  return fieldsOf(type).map(({ name }) => {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    const stated = Object.assign({}, ...own.map((rule) => ruleSchema(rule.name, rule.constraints, schemaOf)));
    const schema: JsonObject = isNullable(type, name) ? orNull(stated) : stated;
    const value = defaults[name];
    // The default of a nested object follows from its fields.
    const isPlain = value !== undefined && (typeof value !== 'object' || Array.isArray(value));
    return {
      name,
      isRequired: own.some(({ name: rule }) => rule === 'isDefined'),
      schema: isPlain ? { ...schema, default: value as Json } : schema,
    };
  });
}

/** Returns the schema of a value of this schema or null. */
export function orNull(schema: JsonObject): JsonObject {
  // Any value.
  if (Object.keys(schema).length === 0) return schema;
  if (typeof schema.type !== 'string') return { oneOf: [schema, { type: 'null' }] };
  const choices = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...choices };
}

function ruleSchema(
  name: string | undefined,
  constraints: unknown[] | undefined,
  schemaOf: (nested: InputClass) => JsonObject,
): JsonObject {
  const first = constraints?.[0];
  if (first instanceof Rule) {
    // The items of a list are of this class, to which the schema refers.
    if (typeof first.known === 'function') schemaOf(first.known());
    return first.nested === null ? first.schema : schemaOf(first.nested);
  }
  switch (name) {
    case 'isBoolean':
      return { type: 'boolean' };
    case 'isIn':
      return { type: 'string', enum: first as string[] };
    case 'isString':
      return { type: 'string' };
    case 'isDefined':
    case undefined:
      return {};
    default:
      throw new Error(`There is no schema for the rule ${name}.`);
  }
}
