import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { fieldsOf, type KnownFields } from '#platform/input';

/** What a route reads of a JSON body and of the query. */
export interface KnownInput {
  readonly body: KnownFields;
  readonly query: KnownFields;
}

/** Names of query parameters that custom decorators of a method read. */
const CUSTOM_QUERY = Symbol('custom query');

/** Returns the fields that a class declares, and those that their rules name. */
export function knownFieldsOf(type: object): KnownFields {
  return Object.fromEntries(
    fieldsOf(type).map(({ name, rule }) => {
      const known = rule?.known ?? null;
      if (known !== null) return [name, typeof known === 'function' ? knownFieldsOf(known()) : known];
      return [name, rule?.nested ? knownFieldsOf(rule.nested) : true];
    }),
  );
}

/** Declares a query parameter that a custom decorator of a controller's method reads. */
export function declareQuery(name: string, target: object, key: string | symbol): void {
  Reflect.defineMetadata(
    CUSTOM_QUERY,
    { ...Reflect.getMetadata(CUSTOM_QUERY, target, key), [name]: true },
    target,
    key,
  );
}

/** Returns what the parameters of a controller's method declare. */
export const knownInputOf = (target: object, key: string | symbol): KnownInput => ({
  body: knownParameterOf(RouteParamtypes.BODY, target, key),
  query: {
    ...knownParameterOf(RouteParamtypes.QUERY, target, key),
    ...Reflect.getMetadata(CUSTOM_QUERY, target, key),
  },
});

function knownParameterOf(kind: RouteParamtypes, target: object, key: string | symbol): KnownFields {
  const parameters: Readonly<Record<string, { readonly index: number }>> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, key) ?? {};
  const types: readonly unknown[] = Reflect.getMetadata('design:paramtypes', target, key) ?? [];
  for (const [name, { index }] of Object.entries(parameters)) {
    const type = types[index];
    if (name.startsWith(`${kind}:`) && typeof type === 'function') return knownFieldsOf(type);
  }
  return {};
}
