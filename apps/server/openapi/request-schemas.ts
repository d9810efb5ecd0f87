import { type FieldSchema, fieldSchemas, type InputClass } from '#platform/input';
import type { JsonObject } from '#platform/kernel';
import { referenceTo, withDescription } from './schema.ts';
import type { Sources } from './sources.ts';

export interface RequestField extends FieldSchema {
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
    return fieldSchemas(type, (nested) => this.reference(nested)).map((field) => ({
      ...field,
      description: this.description(type, field.name),
    }));
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
