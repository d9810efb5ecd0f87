import type { JsonObject } from '#kernel';
import type { ErrorCode } from '../errors/api-error.ts';

export type DtoClass<T extends object = object> = new () => T;

/** What is wrong with a value: a sentence that goes on after the field's name, and where in the value. */
export interface Complaint {
  readonly says: string;
  /** Path below the field, e.g. `.tags`; a message that names its place by itself gives `path` instead. */
  readonly below?: string;
  readonly path?: string;
  readonly code?: ErrorCode;
}

export interface Field {
  readonly required: boolean;
  /** JSON Schema, with its description. */
  readonly schema: JsonObject;
  readonly complaint: (value: unknown) => Complaint | null;
  /** For an object with known fields of its own. */
  readonly nested: DtoClass | null;
}

const FIELDS = new Map<object, Map<string, Field>>();
const NONE: ReadonlyMap<string, Field> = new Map();

/** The fields that a DTO class declares, those of its parents included; none for any other class. */
export function fieldsOf(dto: object): ReadonlyMap<string, Field> {
  return FIELDS.get(dto) ?? NONE;
}

/** The list of known fields, the check of each and its documentation come from one declaration. */
function field(declared: Field): PropertyDecorator {
  return (target, key) => {
    const dto = target.constructor;
    let fields = FIELDS.get(dto);
    if (fields === undefined) {
      fields = new Map(fieldsOf(Object.getPrototypeOf(dto)));
      FIELDS.set(dto, fields);
    }
    fields.set(String(key), declared);
  };
}

interface Options {
  readonly required?: true;
}

const says = (text: string): Complaint => ({ says: text });

function declare(
  schema: JsonObject,
  description: string,
  complaint: (value: unknown) => Complaint | null,
  { required }: Options = {},
): PropertyDecorator {
  return field({ required: required ?? false, schema: { ...schema, description }, complaint, nested: null });
}

/** Lengths are counted in UTF-16 code units. `identity`: two spellings that are stored alike would be one thing. */
export function Text(
  description: string,
  options: Options & { readonly min?: number; readonly max?: number; readonly identity?: true } = {},
): PropertyDecorator {
  const { min = 0, max = Number.POSITIVE_INFINITY } = options;
  const schema = {
    type: 'string',
    ...(min > 0 ? { minLength: min } : {}),
    ...(max < Number.POSITIVE_INFINITY ? { maxLength: max } : {}),
  };
  return declare(schema, description, (value) => text(value, min, max, options.identity ?? false), options);
}

function text(value: unknown, min: number, max: number, identity: boolean): Complaint | null {
  if (typeof value !== 'string') return says('must be a string');
  if (value.length < min) return says(min === 1 ? 'must not be empty' : `must have at least ${min} characters`);
  if (value.length > max) return says(`must have at most ${max} characters`);
  // A lone surrogate has no UTF-8, so storage would make different names equal.
  if (identity && !value.isWellFormed()) return says('must be well-formed Unicode');
  return null;
}

/** Text with at least one character that is not white space. */
export function Content(description: string): PropertyDecorator {
  return declare(
    { type: 'string', pattern: '\\S' },
    description,
    (value) => {
      if (typeof value !== 'string') return says('must be a string');
      return /\S/.test(value) ? null : says('must not be blank');
    },
    { required: true },
  );
}

export function Choice(choices: readonly string[], description: string): PropertyDecorator {
  const sentence = says(`must be one of ${choices.join(', ')}`);
  return declare({ type: 'string', enum: [...choices] }, description, (value) =>
    typeof value === 'string' && choices.includes(value) ? null : sentence,
  );
}

export function Flag(description: string): PropertyDecorator {
  return declare({ type: 'boolean' }, description, (value) =>
    typeof value === 'boolean' ? null : says('must be true or false'),
  );
}

/** A flag in a query string. */
export function QueryFlag(description: string): PropertyDecorator {
  return Choice(['true', 'false'], description);
}

/** A number from 0 to 1; a string that looks like one is refused. */
export function Fraction(description: string): PropertyDecorator {
  return declare({ type: 'number', minimum: 0, maximum: 1 }, description, (value) =>
    typeof value === 'number' && value >= 0 && value <= 1 ? null : says('must be a number from 0 to 1'),
  );
}

export function Whole(min: number, max: number, description: string): PropertyDecorator {
  return declare({ type: 'integer', minimum: min, maximum: max }, description, (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? null
      : says(`must be a whole number from ${min} to ${max}`),
  );
}

/** `page` and `limit` of lists: a whole number from 1, also as digits. */
export function Ordinal(description: string): PropertyDecorator {
  const schema = {
    oneOf: [
      { type: 'integer', minimum: 1 },
      { type: 'string', pattern: '^[0-9]+$' },
    ],
  };
  return declare(schema, description, (value) => {
    const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
    return Number.isSafeInteger(number) && (number as number) >= 1 ? null : says('must be a whole number from 1');
  });
}

/** One text or several, each of a closed set where `choices` is given. */
export function Texts(
  description: string,
  options: { readonly choices?: readonly string[]; readonly list?: true; readonly max?: number } = {},
): PropertyDecorator {
  const { choices, list = false, max = 255 } = options;
  const item = choices === undefined ? { type: 'string', maxLength: max } : { type: 'string', enum: [...choices] };
  const array = { type: 'array', items: item };
  return declare(list ? array : { oneOf: [item, array] }, description, (value) => {
    if (typeof value !== 'string' && !Array.isArray(value)) {
      return says(list ? 'must be an array of strings' : 'must be a string or an array of strings');
    }
    if (list && typeof value === 'string') return says('must be an array of strings');
    const items: readonly unknown[] = typeof value === 'string' ? [value] : value;
    for (const [index, one] of items.entries()) {
      const below = typeof value === 'string' ? '' : `[${index}]`;
      const wrong = text(one, 0, max, false);
      if (wrong !== null) return { ...wrong, below };
      if (choices !== undefined && !choices.includes(one as string)) {
        return { says: `must be one of ${choices.join(', ')}`, below };
      }
    }
    return null;
  });
}

export function Nested(dto: DtoClass, description: string): PropertyDecorator {
  return field({
    required: false,
    schema: { description },
    complaint: (value) => (isObject(value) ? null : says('must be an object')),
    nested: dto,
  });
}

/** A field with a check of its own. */
export function Checked(
  schema: JsonObject,
  description: string,
  complaint: (value: unknown) => Complaint | null,
  options?: Options,
): PropertyDecorator {
  return declare(schema, description, complaint, options);
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
