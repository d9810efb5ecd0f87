import type { Json, JsonObject } from '#kernel';
import { rulesOf } from '../src/http/validation/class-validator.ts';
import { isNullable } from '../src/http/validation/nullable.ts';
import { fieldsOf } from '../src/http/validation/read-input.ts';
import { type InputClass, Rule } from '../src/http/validation/rule.ts';
import type { Sources } from './sources.ts';

export interface RequestField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonObject;
  readonly description: string | null;
}

/** Turns request classes into JSON Schemas: rules from class-validator's metadata, texts from the sources. */
export class RequestSchemas {
  readonly schemas: Record<string, JsonObject> = {};
  private readonly sources: Sources;

  constructor(sources: Sources) {
    this.sources = sources;
  }

  /** Returns a reference to the schema of a class. */
  reference(type: InputClass): JsonObject {
    this.schemas[type.name] ??= this.objectOf(type);
    return { $ref: `#/components/schemas/${type.name}` };
  }

  fields(type: InputClass): readonly RequestField[] {
    const rules = rulesOf(type);
    const defaults = new type() as Readonly<Record<string, unknown>>;
    return fieldsOf(type).map(({ name }) => {
      const own = rules.filter(({ propertyName }) => propertyName === name);
      const stated = Object.assign({}, ...own.map(({ name: rule, constraints }) => this.ruleSchema(rule, constraints)));
      const schema: JsonObject = isNullable(type, name) ? { oneOf: [stated, { type: 'null' }] } : stated;
      const value = defaults[name];
      // The default of a nested object follows from its fields.
      const isPlain = value !== undefined && (typeof value !== 'object' || Array.isArray(value));
      return {
        name,
        isRequired: own.some(({ name: rule }) => rule === 'isDefined'),
        schema: isPlain ? { ...schema, default: value as Json } : schema,
        description: this.description(type, name),
      };
    });
  }

  private objectOf(type: InputClass): JsonObject {
    const fields = this.fields(type);
    const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    return {
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      properties: Object.fromEntries(
        fields.map(({ name, schema, description }) => [
          name,
          description === null ? schema : { ...schema, description },
        ]),
      ),
    };
  }

  private ruleSchema(name: string | undefined, constraints: unknown[] | undefined): JsonObject {
    const first = constraints?.[0];
    if (first instanceof Rule) return first.nested === null ? first.schema : this.reference(first.nested);
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

  /** The doc comment of the field, which a parent may declare. */
  private description(type: InputClass, field: string): string | null {
    for (let name: string | null = type.name; name !== null; ) {
      const source = this.sources.classes.get(name);
      const found = source?.fields.get(field);
      if (found !== undefined) return found.description;
      name = source?.parent ?? null;
    }
    return null;
  }
}
