import ts from 'typescript';
import { orNull } from '#platform/input';
import type { JsonObject } from '#platform/kernel';
import { REQUEST_TYPES } from '#ports/analytics';
import { STAGES } from '#read-side/views';
import { STATUS_OF } from '../src/http/errors/api-error.ts';
import { referenceTo, withDescription } from './schema.ts';
import type { SourceClass, Sources } from './sources.ts';

/** Types that response classes import from elsewhere. */
const IMPORTED: Readonly<Record<string, JsonObject>> = {
  ErrorCode: { type: 'string', enum: Object.keys(STATUS_OF) },
  Json: {},
  JsonObject: { type: 'object', additionalProperties: {} },
  Metadata: {
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean'] },
  },
  RequestType: { type: 'string', enum: [...REQUEST_TYPES] },
  Stage: { type: 'string', enum: [...STAGES] },
};

const KEYWORDS: Partial<Record<ts.SyntaxKind, JsonObject>> = {
  [ts.SyntaxKind.StringKeyword]: { type: 'string' },
  [ts.SyntaxKind.NumberKeyword]: { type: 'number' },
  [ts.SyntaxKind.BooleanKeyword]: { type: 'boolean' },
};

/** Turns response classes into JSON Schemas; classes that they refer to are added as they are met. */
export class ResponseSchemas {
  readonly schemas: Record<string, JsonObject> = {};

  constructor(private readonly sources: Sources) {}

  /** Returns a reference to the schema of a class. */
  reference(name: string): JsonObject {
    const source = this.sources.classes.get(name);
    if (source === undefined) throw new Error(`There is no class ${name} among the sources.`);
    if (this.schemas[name] === undefined) {
      // Before its fields, which may refer to it.
      this.schemas[name] = {};
      this.schemas[name] = this.objectOf(name, source);
    }
    return referenceTo(name);
  }

  private objectOf(className: string, source: SourceClass): JsonObject {
    const fields = this.fieldsOf(source).map(([name, { description, isOptional, type }]) => {
      const place = `${className}.${name}`;
      if (type === null) throw new Error(`${place} has no declared type.`);
      return { name, isOptional, schema: withDescription(this.schemaOf(type), description, place) };
    });
    return withDescription(object(fields), source.description, className);
  }

  private fieldsOf(
    source: SourceClass,
  ): [string, SourceClass['fields'] extends ReadonlyMap<string, infer F> ? F : never][] {
    const parent = source.parent === null ? undefined : this.sources.classes.get(source.parent);
    return [...(parent === undefined ? [] : this.fieldsOf(parent)), ...source.fields];
  }

  private schemaOf(type: ts.TypeNode): JsonObject {
    const keyword = KEYWORDS[type.kind];
    if (keyword !== undefined) return keyword;
    if (ts.isArrayTypeNode(type)) return { type: 'array', items: this.schemaOf(type.elementType) };
    if (ts.isTypeOperatorNode(type) || ts.isParenthesizedTypeNode(type)) return this.schemaOf(type.type);
    if (ts.isUnionTypeNode(type)) return this.unionOf(type.types);
    if (ts.isLiteralTypeNode(type)) return literal(type);
    if (ts.isTypeLiteralNode(type)) return this.inlineObject(type);
    if (ts.isTypeReferenceNode(type)) return this.named(type);
    throw new Error(`There is no schema for the type ${type.getText()}.`);
  }

  private unionOf(types: readonly ts.TypeNode[]): JsonObject {
    const others = types.filter((type) => !isNull(type));
    if (others.length < types.length) return orNull(this.unionOf(others));
    const schemas = types.map((type) => this.schemaOf(type));
    if (schemas.length === 1) return schemas[0] as JsonObject;
    const choices = schemas.filter((schema) => schema.type === 'string').flatMap((schema) => schema.enum ?? []);
    return choices.length > 0 && schemas.every((schema) => Array.isArray(schema.enum))
      ? { type: 'string', enum: choices }
      : { oneOf: schemas };
  }

  private inlineObject(type: ts.TypeLiteralNode): JsonObject {
    return object(
      type.members.filter(ts.isPropertySignature).map((member) => ({
        name: member.name.getText(),
        isOptional: member.questionToken !== undefined,
        schema: member.type === undefined ? {} : this.schemaOf(member.type),
      })),
    );
  }

  private named(type: ts.TypeReferenceNode): JsonObject {
    const name = type.typeName.getText();
    const [first, second] = type.typeArguments ?? [];
    if (name === 'Readonly' && first !== undefined) return this.schemaOf(first);
    if (name === 'Record' && second !== undefined) {
      return { type: 'object', additionalProperties: this.schemaOf(second) };
    }
    const imported = IMPORTED[name];
    if (imported !== undefined) return imported;
    const alias = this.sources.aliases.get(name);
    return alias === undefined ? this.reference(name) : { ...this.schemaOf(alias.type), ...alias.keywords };
  }
}

const isNull = (type: ts.TypeNode): boolean =>
  ts.isLiteralTypeNode(type) && type.literal.kind === ts.SyntaxKind.NullKeyword;

function literal({ literal: value }: ts.LiteralTypeNode): JsonObject {
  if (value.kind === ts.SyntaxKind.NullKeyword) return { type: 'null' };
  if (ts.isStringLiteral(value)) return { type: 'string', enum: [value.text] };
  throw new Error(`There is no schema for the literal ${value.getText()}.`);
}

function object(
  fields: readonly { readonly name: string; readonly isOptional: boolean; readonly schema: JsonObject }[],
): JsonObject {
  const required = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
  };
}
