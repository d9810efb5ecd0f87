import { accepts } from './accepts.ts';
import { rulesOf, type ValidationError, validateSync } from './class-validator.ts';
import { InputError, invalid } from './input-error.ts';
import { isNullable } from './nullable.ts';
import { type InputClass, isObject, Rule } from './rule.ts';

/** What a surface does with keys that a class does not declare. */
export type UnknownKeys = 'ignore' | 'refuse';

/** A declared field; `rule` is null if it has built-in rules only. */
interface Field {
  readonly name: string;
  readonly rule: Rule | null;
}

const FIELDS = new Map<object, readonly Field[]>();

/** Returns the fields that a class declares, those of its parents first; none for any other class. */
export function fieldsOf(type: object): readonly Field[] {
  let fields = FIELDS.get(type);
  if (fields === undefined) {
    fields = collectFields(type);
    FIELDS.set(type, fields);
  }
  return fields;
}

function collectFields(type: object): readonly Field[] {
  const parent: unknown = Object.getPrototypeOf(type);
  const fields = new Map(typeof parent === 'function' ? fieldsOf(parent).map((field) => [field.name, field]) : []);
  for (const { propertyName: name, constraints } of rulesOf(type)) {
    const rule: unknown = constraints?.[0];
    fields.set(name, { name, rule: rule instanceof Rule ? rule : (fields.get(name)?.rule ?? null) });
  }
  return [...fields.values()];
}

/**
 * Returns an instance with the declared fields of the input. Null counts as absent, except in a nullable field, and nothing is converted: values
 * are taken by reference, so that keys such as `__proto__` in a caller's metadata stay.
 * @param place of the input inside the body, such as `memories[2]`. Default: it is the body.
 * @throws InputError naming the first field that is wrong
 */
export function readInput<T extends object>(
  type: InputClass<T>,
  input: unknown,
  unknownKeys: UnknownKeys,
  place?: string,
): T {
  if (!isObject(input)) {
    throw place === undefined
      ? invalid('body', 'The body must be a JSON object')
      : invalid(place, `${place} must be an object`);
  }
  const prefix = place === undefined ? '' : `${place}.`;
  const instance = copyFields(type, input, unknownKeys, prefix);
  if (accepts(instance)) return instance;
  const errors = validateSync(instance);
  if (errors.length > 0) throw firstError(type, errors, prefix);
  return instance;
}

function copyFields<T extends object>(
  type: InputClass<T>,
  input: Readonly<Record<string, unknown>>,
  unknownKeys: UnknownKeys,
  prefix: string,
): T {
  const fields = fieldsOf(type);
  if (unknownKeys === 'refuse') refuseUnknown(fields, input, prefix);
  const instance = new type();
  const values = instance as Record<string, unknown>;
  for (const { name, rule } of fields) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined || (value === null && !isNullable(type, name))) continue;
    const nested = rule?.nested ?? null;
    values[name] =
      nested === null || !isObject(value) ? value : copyFields(nested, value, unknownKeys, `${prefix}${name}.`);
  }
  return instance;
}

function refuseUnknown(fields: readonly Field[], input: object, prefix: string): void {
  const unknown = Object.keys(input).find((key) => !fields.some(({ name }) => name === key));
  if (unknown !== undefined) throw invalid(prefix + unknown, `${prefix}${unknown} is not a known field`);
}

/** Returns the error of the first wrong field in the order of declaration. */
function firstError(type: object, errors: readonly ValidationError[], prefix: string): InputError {
  for (const { name, rule } of fieldsOf(type)) {
    const error = errors.find(({ property }) => property === name);
    if (error === undefined) continue;
    const { children = [], constraints = {}, value } = error;
    if (rule?.nested && children.length > 0) return firstError(rule.nested, children, `${prefix}${name}.`);
    const complaint = value === undefined ? null : (rule?.complaint(value) ?? null);
    if (complaint === null) return invalid(prefix + name, prefix + Object.values(constraints).join());
    const place = complaint.path ?? prefix + name + (complaint.below ?? '');
    return new InputError(`${place} ${complaint.says}`, place, complaint.code);
  }
  throw new Error('a validation error names no declared field');
}
