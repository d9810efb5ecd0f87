import type { JsonObject } from '#platform/kernel';
import type { InputClass } from './rule.ts';

/** Request bodies, forms or queries that a new server with the default settings accepts; by what they show. */
export type Examples = Readonly<Record<string, JsonObject>>;

const EXAMPLES = new WeakMap<object, Examples>();

/** Gives a request class its examples. The first one is what the page of the API sends. */
export const ShownBy =
  (examples: Examples): ClassDecorator =>
  (type) => {
    EXAMPLES.set(type, examples);
  };

export const examplesOf = (type: InputClass): Examples => EXAMPLES.get(type) ?? {};
