import { asDecorator, type Complaint, isObject, itemsComplaint, Rule } from '../rule.ts';
import { textComplaint } from './text.ts';

const MAX_TAGS = 100;
const PERMISSIONS = ['read', 'write'];

const SCHEMA = {
  type: 'array',
  maxItems: MAX_TAGS,
  items: {
    type: 'object',
    required: ['containerTag', 'permission'],
    properties: {
      containerTag: { type: 'string', minLength: 1, maxLength: 255 },
      permission: { type: 'string', enum: [...PERMISSIONS] },
    },
  },
};

/** Tags, each with `read` or `write`. */
export function IsTagPermissions(): PropertyDecorator {
  return asDecorator('isTagPermissions', new Rule(SCHEMA, permissionsComplaint));
}

function permissionsComplaint(value: unknown): Complaint | null {
  if (!Array.isArray(value)) return { says: 'must be an array of objects with containerTag and permission' };
  if (value.length > MAX_TAGS) return { says: `must have at most ${MAX_TAGS} entries` };
  return itemsComplaint(value, (one) => {
    if (!isObject(one)) return { says: 'must be an object' };
    const { containerTag, permission } = one;
    const complaint = textComplaint(containerTag, { min: 1, max: 255, wellFormed: true });
    if (complaint !== null) return { ...complaint, below: '.containerTag' };
    return PERMISSIONS.includes(permission as string) ? null : { below: '.permission', says: 'must be read or write' };
  });
}
