import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { fieldsOf } from './read-input.ts';
import type { Known } from './rule.ts';

/** Nothing of the body is read. */
const NOTHING: Known = {};

/** Returns the fields that a class declares, and those that their rules name. */
function knownFieldsOf(type: object): Known {
  return Object.fromEntries(
    fieldsOf(type).map(({ name, rule }) => {
      const known = rule?.known ?? null;
      if (known !== null) return [name, typeof known === 'function' ? knownFieldsOf(known()) : known];
      return [name, rule?.nested ? knownFieldsOf(rule.nested) : true];
    }),
  );
}

/** Returns what the body parameter of a controller's method declares. */
export function knownBodyOf(target: object, key: string | symbol): Known {
  const parameters: Readonly<Record<string, { readonly index: number }>> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, key) ?? {};
  const types: readonly unknown[] = Reflect.getMetadata('design:paramtypes', target, key) ?? [];
  for (const [name, { index }] of Object.entries(parameters)) {
    const type = types[index];
    if (name.startsWith(`${RouteParamtypes.BODY}:`) && typeof type === 'function') return knownFieldsOf(type);
  }
  return NOTHING;
}
