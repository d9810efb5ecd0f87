import { asDecorator, type Complaint, itemsComplaint, Rule } from '../rule.ts';
import { textComplaint } from './text.ts';

const MAX_LENGTH = 255;

/** An array of strings, each from a closed set if there are `choices`. */
export function IsTextList(choices?: readonly string[]): PropertyDecorator {
  const complaintOf = (item: unknown) => itemComplaint(item, choices);
  const rule = new Rule({ type: 'array', items: itemSchema(choices) }, (value) =>
    Array.isArray(value) ? itemsComplaint(value, complaintOf) : { says: 'must be an array of strings' },
  );
  return asDecorator('isTextList', rule);
}

const MAX_PATHS = 200;
const MAX_PATH_LENGTH = 4096;

/** An array of paths. */
export function IsPathList(): PropertyDecorator {
  const items = { type: 'string', minLength: 1, maxLength: MAX_PATH_LENGTH };
  const rule = new Rule({ type: 'array', items, maxItems: MAX_PATHS }, (value) => {
    if (!Array.isArray(value)) return { says: 'must be an array of strings' };
    if (value.length > MAX_PATHS) return { says: `must have at most ${MAX_PATHS} entries` };
    return itemsComplaint(value, (item) => textComplaint(item, { min: 1, max: MAX_PATH_LENGTH }));
  });
  return asDecorator('isPathList', rule);
}

/** An array of at least one and at most `max` ids or customIds. */
export function IsNameList(max: number): PropertyDecorator {
  const item = { type: 'string', minLength: 1, maxLength: MAX_LENGTH };
  const rule = new Rule({ type: 'array', items: item, minItems: 1, maxItems: max }, (value) => {
    if (!Array.isArray(value)) return { says: 'must be an array of strings' };
    if (value.length === 0 || value.length > max) return { says: `must have 1 to ${max} entries` };
    return itemsComplaint(value, (name) => textComplaint(name, { min: 1, max: MAX_LENGTH }));
  });
  return asDecorator('isNameList', rule);
}

/** One string of a closed set, or an array of them. */
export function IsOneOrMore(choices: readonly string[]): PropertyDecorator {
  const item = itemSchema(choices);
  const complaintOf = (value: unknown) => itemComplaint(value, choices);
  const rule = new Rule({ oneOf: [item, { type: 'array', items: item }] }, (value) => {
    if (typeof value === 'string') return complaintOf(value);
    return Array.isArray(value)
      ? itemsComplaint(value, complaintOf)
      : { says: 'must be a string or an array of strings' };
  });
  return asDecorator('isOneOrMore', rule);
}

const itemSchema = (choices: readonly string[] | undefined) =>
  choices === undefined ? { type: 'string', maxLength: MAX_LENGTH } : { type: 'string', enum: [...choices] };

function itemComplaint(item: unknown, choices: readonly string[] | undefined): Complaint | null {
  const complaint = textComplaint(item, { max: MAX_LENGTH });
  if (complaint !== null || choices === undefined || choices.includes(item as string)) return complaint;
  return { says: `must be one of ${choices.join(', ')}` };
}
