import { fieldsOf, type InputClass, isNullable, Rule, rulesOf } from '#platform/input';
import type { Json, JsonObject } from '#platform/kernel';
import { orNull, referenceTo, withDescription } from './schema.ts';
import type { Sources } from './sources.ts';

export interface RequestField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonObject;
  readonly description: string;
}

/** Turns request classes into JSON Schemas: rules from class-validator's metadata, texts from the sources. */
export class RequestSchemas {
  readonly schemas: Record<string, JsonObject> = {};

  constructor(private readonly sources: Sources) {}

  /** Returns a reference to the schema of a class. */
  reference(type: InputClass): JsonObject {
    this.schemas[type.name] ??= this.objectOf(type);
    return referenceTo(type.name);
  }

  /** Returns a reference to the schema of a form: the fields of a class, with their examples, and more properties. */
  form(type: InputClass, example: JsonObject, more: JsonObject): JsonObject {
    const { required = [], properties = {}, ...rest } = this.objectOf(type);
    const fields = Object.entries(properties as Readonly<Record<string, JsonObject>>).map(
      ([name, schema]) =>
        [name, example[name] === undefined ? schema : { ...schema, examples: [example[name]] }] as const,
    );
    this.schemas[type.name] = {
      ...rest,
      required: [...Object.keys(more), ...(required as readonly string[])],
      properties: { ...more, ...Object.fromEntries(fields) },
    };
    return referenceTo(type.name);
  }

  fields(type: InputClass): readonly RequestField[] {
    const rules = rulesOf(type);
    const defaults = new type() as Readonly<Record<string, unknown>>;
    return fieldsOf(type).map(({ name }) => {
      const own = rules.filter(({ propertyName }) => propertyName === name);
      const stated = Object.assign({}, ...own.map(({ name: rule, constraints }) => this.ruleSchema(rule, constraints)));
      const schema: JsonObject = isNullable(type, name) ? orNull(stated) : stated;
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
    const schema = {
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      properties: Object.fromEntries(fields.map(({ name, schema, description }) => [name, { ...schema, description }])),
    };
    return withDescription(schema, this.sources.classes.get(type.name)?.description ?? null, type.name);
  }

  private ruleSchema(name: string | undefined, constraints: unknown[] | undefined): JsonObject {
    const first = constraints?.[0];
    if (first instanceof Rule) {
      // The items of a list are of this class, to which the schema refers.
      if (typeof first.known === 'function') this.reference(first.known());
      return first.nested === null ? first.schema : this.reference(first.nested);
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

  /** Returns the doc comment of the field, which a parent may declare. */
  private description(type: InputClass, field: string): string {
    for (let name: string | null = type.name; name !== null; ) {
      const source = this.sources.classes.get(name);
      const description = source?.fields.get(field)?.description;
      if (description) return description;
      name = source?.parent ?? null;
    }
    throw new Error(`${type.name}.${field} has no doc comment.`);
  }
}
