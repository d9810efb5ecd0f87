import type { JsonObject } from '#platform/kernel';
import { ValidateBy } from './class-validator.ts';
import type { InputCode } from './input-error.ts';

export type InputClass<T extends object = object> = new () => T;

/** What is wrong with a value: the rest of a sentence that begins with the path, and where in the value. */
export interface Complaint {
  readonly says: string;
  /** Path below the field, such as `.tags` or `[1]`. */
  readonly below?: string;
  /** The whole path, in place of the field's name. */
  readonly path?: string;
  readonly code?: InputCode;
}

/**
 * What is read of a value: all of it, or these fields of an object. What holds for a list holds for each of its items.
 * `text`: a blank string counts as an empty one, so that nothing needs to look for its first character again.
 */
export type Known = true | 'text' | { readonly [field: string]: Known };

export type KnownFields = Readonly<Record<string, Known>>;

/** A check whose error can name a place inside the value, and its JSON Schema. */
export class Rule {
  readonly schema: JsonObject;
  readonly complaint: (value: unknown) => Complaint | null;
  /** The class of an object with known fields of its own. */
  readonly nested: InputClass | null;
  /** What is read of the value, or the class that declares it. Null: the fields of `nested`, or all. */
  readonly known: Known | (() => InputClass) | null;

  constructor(
    schema: JsonObject,
    complaint: Rule['complaint'],
    { nested = null, known = null }: Partial<Pick<Rule, 'nested' | 'known'>> = {},
  ) {
    this.schema = schema;
    this.complaint = complaint;
    this.nested = nested;
    this.known = known;
  }
}

/** Makes a class-validator decorator of a rule. The sentence comes from the rule: the library would replace `$…` in it. */
export const asDecorator = (name: string, rule: Rule): PropertyDecorator =>
  ValidateBy({ name, constraints: [rule], validator: { validate: (value) => rule.complaint(value) === null } });

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * As `itemsComplaint`, of a value that has to be a list of objects.
 * @param keys of each object, in words
 */
export function objectsComplaint(
  value: unknown,
  { keys, max }: { readonly keys: string; readonly max: number },
  complaintOf: (item: Readonly<Record<string, unknown>>) => Complaint | null,
): Complaint | null {
  if (!Array.isArray(value)) return { says: `must be an array of objects with ${keys}` };
  if (value.length > max) return { says: `must have at most ${max} entries` };
  return itemsComplaint(value, (item) => (isObject(item) ? complaintOf(item) : { says: 'must be an object' }));
}

/** Returns the first complaint about an item of a list, with the place of the item. */
export function itemsComplaint(
  items: readonly unknown[],
  complaintOf: (item: unknown) => Complaint | null,
): Complaint | null {
  for (const [index, item] of items.entries()) {
    const complaint = complaintOf(item);
    if (complaint !== null) return { ...complaint, below: `[${index}]${complaint.below ?? ''}` };
  }
  return null;
}
