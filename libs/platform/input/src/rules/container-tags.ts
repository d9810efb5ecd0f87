import { asDecorator, itemsComplaint, Rule } from '../rule.ts';
import { type TextLimits, textComplaint } from './text.ts';

const LIMITS: TextLimits = { min: 1, max: 255, wellFormed: true };
/** Of requests that read or delete. */
const MAX_TAGS = 200;
const SCHEMA = { type: 'string', minLength: 1, maxLength: 255 };

export const IsContainerTag = (): PropertyDecorator =>
  asDecorator('isContainerTag', new Rule(SCHEMA, (value) => textComplaint(value, LIMITS)));

/** One tag, or an array of tags. */
export function IsContainerTags(max = MAX_TAGS): PropertyDecorator {
  const schema = { oneOf: [SCHEMA, { type: 'array', items: SCHEMA, maxItems: max }] };
  const rule = new Rule(schema, (value) => {
    if (typeof value === 'string') return textComplaint(value, LIMITS);
    if (!Array.isArray(value)) return { says: 'must be a string or an array of strings' };
    if (value.length > max) return { says: `must have at most ${max} entries` };
    return itemsComplaint(value, (tag) => textComplaint(tag, LIMITS));
  });
  return asDecorator('isContainerTags', rule);
}

/** Returns the tags that a request names, each once: `containerTag` first, then `containerTags` in their order (contract §1.8). */
export function namedTags({
  containerTag,
  containerTags,
}: {
  readonly containerTag?: string | undefined;
  readonly containerTags?: string | readonly string[] | undefined;
}): string[] {
  const all = containerTag === undefined ? [] : [containerTag];
  if (containerTags === undefined) return all;
  if (typeof containerTags === 'string') return [...new Set([...all, containerTags])];
  return [...new Set([...all, ...containerTags])];
}
