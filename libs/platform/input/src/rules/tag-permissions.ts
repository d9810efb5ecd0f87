import { asDecorator, type Complaint, objectsComplaint, Rule } from '../rule.ts';
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
  return objectsComplaint(value, { keys: 'containerTag and permission', max: MAX_TAGS }, (one) => {
    const { containerTag, permission } = one;
    const complaint = textComplaint(containerTag, { min: 1, max: 255, wellFormed: true });
    if (complaint !== null) return { ...complaint, below: '.containerTag' };
    return PERMISSIONS.includes(permission as string) ? null : { below: '.permission', says: 'must be read or write' };
  });
}
