import { asDecorator, type Complaint, Rule } from '../rule.ts';

export interface TextLimits {
  readonly min?: number;
  /** Characters: a surrogate pair counts as one. */
  readonly max?: number;
  /** Refuses lone surrogates: they have no UTF-8, so storage would make different names equal. */
  readonly wellFormed?: true;
}

export function IsText(limits: TextLimits): PropertyDecorator {
  const { min = 0, max } = limits;
  const schema = {
    type: 'string',
    ...(min > 0 ? { minLength: min } : {}),
    ...(max === undefined ? {} : { maxLength: max }),
  };
  return asDecorator('isText', new Rule(schema, (value) => textComplaint(value, limits)));
}

export function textComplaint(value: unknown, { min = 0, max, wellFormed }: TextLimits): Complaint | null {
  if (typeof value !== 'string') return { says: 'must be a string' };
  if (value.length < min) return { says: min === 1 ? 'must not be empty' : `must have at least ${min} characters` };
  if (max !== undefined && isLonger(value, max)) return { says: `must have at most ${max} characters` };
  if (wellFormed && !value.isWellFormed()) return { says: 'must be well-formed Unicode' };
  return null;
}

/** Counts only texts that may be too long. */
function isLonger(text: string, max: number): boolean {
  if (text.length <= max || text.length > 2 * max) return text.length > max;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters > max;
}

/** Text with at least one character that is not white space. */
export function IsNotBlank(): PropertyDecorator {
  return asDecorator('isNotBlank', new Rule({ type: 'string', pattern: '\\S' }, blankComplaint, { known: 'text' }));
}

function blankComplaint(value: unknown): Complaint | null {
  if (typeof value !== 'string') return { says: 'must be a string' };
  return /\S/.test(value) ? null : { says: 'must not be blank' };
}
