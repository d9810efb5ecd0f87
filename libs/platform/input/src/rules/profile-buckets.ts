import { asDecorator, type Complaint, objectsComplaint, Rule } from '../rule.ts';
import { textComplaint } from './text.ts';

const MAX_BUCKETS = 50;
const MAX_DESCRIPTION = 2_000;
const KEY = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Parts of every profile. */
const RESERVED = ['static', 'dynamic'];

const SCHEMA = {
  type: 'array',
  maxItems: MAX_BUCKETS,
  items: {
    type: 'object',
    required: ['key', 'description'],
    properties: {
      key: { type: 'string', pattern: KEY.source },
      description: { type: 'string', maxLength: MAX_DESCRIPTION },
    },
  },
};

/** Groups of a profile: keys that differ, each with a description. */
export function IsProfileBuckets(): PropertyDecorator {
  return asDecorator('isProfileBuckets', new Rule(SCHEMA, bucketsComplaint));
}

function bucketsComplaint(value: unknown): Complaint | null {
  const keys = new Set<unknown>();
  return objectsComplaint(value, { keys: 'key and description', max: MAX_BUCKETS }, (bucket) => {
    const complaint = bucketComplaint(bucket, keys);
    if (complaint === null) keys.add(bucket.key);
    return complaint;
  });
}

function bucketComplaint(
  { key, description }: Readonly<Record<string, unknown>>,
  keys: ReadonlySet<unknown>,
): Complaint | null {
  const below = '.key';
  if (typeof key !== 'string' || !KEY.test(key)) {
    return { below, says: 'must have 1 to 64 of the characters a-z, 0-9, _ and -, the first one a letter or a digit' };
  }
  if (RESERVED.includes(key)) return { below, says: `must not be ${RESERVED.join(' or ')}` };
  if (keys.has(key)) return { below, says: 'must differ from those of the other buckets' };
  const complaint = textComplaint(description, { max: MAX_DESCRIPTION });
  return complaint && { ...complaint, below: '.description' };
}
