import { type Filter, parseFilter } from '#search';
import { ApiError } from '../errors/api-error.ts';
import { Checked, type Complaint, isObject } from './fields.ts';

const MAX_METADATA_BYTES = 64 * 1024;
/** JSON escapes a code unit with six characters at the most. */
const MOST_BYTES_PER_UNIT = 6;
const MAX_TAG_LENGTH = 255;
/** The tags of a document stand in each of its events. */
const MAX_TAGS = 200;

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const SCALAR = { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };
const TAG = { type: 'string', minLength: 1, maxLength: MAX_TAG_LENGTH };

/** A flat object of scalars, at most 64 KiB as JSON. */
export function MetadataField(): PropertyDecorator {
  return Checked(
    { type: 'object', additionalProperties: SCALAR },
    'Flat key/value pairs to filter by; values are strings, numbers or booleans. At most 64 KiB as JSON.',
    metadataComplaint,
  );
}

export function metadataComplaint(value: unknown): Complaint | null {
  const code = 'invalid_metadata';
  if (!isObject(value)) return { code, says: 'must be an object' };
  let units = 2;
  for (const key of Object.keys(value)) {
    const one = value[key];
    if (!isScalar(one)) return { code, below: `.${key}`, says: 'must be a string, number or boolean' };
    units += key.length + (typeof one === 'string' ? one.length : 24) + 6;
  }
  // Only what comes near the limit is written out to be measured.
  const tooLarge =
    units * MOST_BYTES_PER_UNIT > MAX_METADATA_BYTES && Buffer.byteLength(JSON.stringify(value)) > MAX_METADATA_BYTES;
  return tooLarge ? { code, says: `must have at most ${MAX_METADATA_BYTES} bytes as JSON` } : null;
}

/** Scalars must match; an array means any of its scalars. */
export function FilterByMetadata(): PropertyDecorator {
  const anyOf = { type: 'array', items: SCALAR };
  return Checked(
    { type: 'object', additionalProperties: { oneOf: [...SCALAR.oneOf, anyOf] } },
    'Which existing memories serve as context. Changes nothing yet.',
    filterByMetadataComplaint,
  );
}

export function filterByMetadataComplaint(value: unknown): Complaint | null {
  if (!isObject(value)) return { says: 'must be an object' };
  for (const [key, one] of Object.entries(value)) {
    if (!isScalar(one) && !(Array.isArray(one) && one.every(isScalar))) {
      return { below: `.${key}`, says: 'must be a string, number, boolean or an array of them' };
    }
  }
  return null;
}

function tagComplaint(value: unknown, below: string): Complaint | null {
  if (typeof value !== 'string') return { below, says: 'must be a string' };
  if (value === '') return { below, says: 'must not be empty' };
  if (value.length > MAX_TAG_LENGTH) return { below, says: `must have at most ${MAX_TAG_LENGTH} characters` };
  // A lone surrogate has no UTF-8, so storage would make two tags one.
  if (!value.isWellFormed()) return { below, says: 'must be well-formed Unicode' };
  return null;
}

export function Tag(description: string, options?: { readonly required?: true }): PropertyDecorator {
  return Checked(TAG, description, (value) => tagComplaint(value, ''), options);
}

export function Tags(description: string): PropertyDecorator {
  return Checked({ oneOf: [TAG, { type: 'array', items: TAG, maxItems: MAX_TAGS }] }, description, tagsComplaint);
}

export function tagsComplaint(value: unknown): Complaint | null {
  if (typeof value === 'string') return tagComplaint(value, '');
  if (!Array.isArray(value)) return { says: 'must be a string or an array of strings' };
  if (value.length > MAX_TAGS) return { says: `must have at most ${MAX_TAGS} entries` };
  for (const [index, tag] of value.entries()) {
    const wrong = tagComplaint(tag, `[${index}]`);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** A filter expression (contract §5.1), as an object or as JSON text. */
export function FilterField(): PropertyDecorator {
  return Checked(
    { oneOf: [{ $ref: '#/components/schemas/FilterGroup' }, { type: 'string' }] },
    'Restricts the candidates by their metadata, before ranking and limit.',
    (value) => {
      const parsed = parseFilter(value);
      return parsed.ok ? null : { code: 'invalid_filter', says: parsed.error.message, path: parsed.error.details };
    },
  );
}

/** Of a field that `FilterField` has checked. */
export function filterOf(filters: unknown): Filter | null {
  if (filters === undefined) return null;
  const parsed = parseFilter(filters);
  if (!parsed.ok) throw new ApiError('invalid_filter', parsed.error.message, parsed.error.details);
  return parsed.value;
}

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** `YYYY-MM-DD` or a full ISO 8601 time that stands in the calendar. */
export function DateField(description: string): PropertyDecorator {
  return Checked({ type: 'string', examples: ['2025-01-31', '2025-01-31T12:00:00.000Z'] }, description, (value) =>
    typeof value === 'string' && DATE.test(value) && inCalendar(value)
      ? null
      : { says: 'must be a date YYYY-MM-DD or an ISO 8601 time' },
  );
}

/** JavaScript reads February 31st as March 3rd. */
function inCalendar(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return (
    !Number.isNaN(Date.parse(text)) &&
    !Number.isNaN(day.getTime()) &&
    day.toISOString().slice(0, 10) === text.slice(0, 10)
  );
}

/** The union of both spellings: `containerTag` first, then the array's order, each once (contract §1.8). */
export function namedTags(
  containerTag: string | undefined,
  containerTags: string | readonly string[] | undefined,
): string[] {
  const all = containerTag === undefined ? [] : [containerTag];
  if (containerTags === undefined) return all;
  if (typeof containerTags === 'string') return [...new Set([...all, containerTags])];
  return [...new Set([...all, ...containerTags])];
}
