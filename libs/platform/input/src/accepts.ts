import { type RuleMetadata, rulesOf, validatorsOf } from './class-validator.ts';
import { Rule } from './rule.ts';

type Check = (value: unknown) => boolean;

interface CheckedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly checks: readonly Check[];
}

const COMPILED = new Map<object, readonly CheckedField[]>();

/**
 * Whether `validateSync` would find no error, by the same rules without the library's loop, which takes a tenth of the
 * time of an add. An object that is not accepted is left to `validateSync`, which names the errors.
 */
export function accepts(instance: object): boolean {
  const values = instance as Readonly<Record<string, unknown>>;
  return fieldsOf(instance.constructor).every(({ name, isRequired, checks }) => {
    const value = values[name];
    return value === undefined || value === null ? !isRequired : checks.every((check) => check(value));
  });
}

function fieldsOf(type: object): readonly CheckedField[] {
  let fields = COMPILED.get(type);
  if (fields === undefined) {
    const byName = Map.groupBy(rulesOf(type), ({ propertyName }) => propertyName);
    fields = [...byName].map(([name, rules]) => ({
      name,
      isRequired: rules.some(isPresence),
      checks: rules.filter((rule) => !isPresence(rule)).map(checkOf),
    }));
    COMPILED.set(type, fields);
  }
  return fields;
}

const isPresence = ({ name }: RuleMetadata): boolean => name === 'isDefined';

function checkOf(metadata: RuleMetadata): Check {
  const rule: unknown = metadata.constraints?.[0];
  if (rule instanceof Rule) return (value) => rule.complaint(value) === null;
  // The rule of the field itself has checked that the value is an object, which the reading step made an instance.
  if (metadata.type === 'nestedValidation') return (value) => accepts(value as object);
  const validators = validatorsOf(metadata);
  // A rule of another kind, such as a promise, is left to the library.
  if (validators.length === 0) return () => false;
  const { constraints = [] } = metadata;
  return (value) => validators.every((validator) => validator.validate(value, { constraints }) === true);
}
