import { ApiError, invalid } from '../errors/api-error.ts';
import { isObject } from '../validation/rule.ts';

const METADATA_KEY = /^metadata\[(.*)\]$/s;

/** Turns the text parts of a form into the equivalent JSON body. */
export class FormFields {
  private readonly texts = new Map<string, unknown>();
  private readonly tags: unknown[] = [];
  private readonly metadata: [string, unknown][] = [];

  add(name: string, value: unknown, truncated: boolean): void {
    if (truncated) throw invalid(name, `${name} is too long`);
    const key = METADATA_KEY.exec(name)?.[1];
    if (key !== undefined) this.metadata.push([key, value]);
    else if (name === 'containerTags' || name === 'containerTags[]') this.tags.push(...tagsIn(value));
    else this.texts.set(name, value);
  }

  /** @throws ApiError for invalid JSON in a part that must be JSON */
  values(): Readonly<Record<string, unknown>> {
    // fromEntries, because an assignment to `__proto__` stores nothing.
    return Object.fromEntries([
      ...this.texts,
      ['filterByMetadata', jsonIn('filterByMetadata', this.texts.get('filterByMetadata'), 'invalid_request')],
      ['containerTags', this.tags.length === 0 ? undefined : this.tags],
      ['metadata', this.allMetadata()],
    ]);
  }

  private allMetadata(): unknown {
    const whole = jsonIn('metadata', this.texts.get('metadata'), 'invalid_metadata');
    if (this.metadata.length === 0) return whole;
    return Object.fromEntries([...(isObject(whole) ? Object.entries(whole) : []), ...this.metadata]);
  }
}

/** Reads one tag, or the JSON text of an array of tags. */
function tagsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || !value.trimStart().startsWith('[')) return [value];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [value];
  } catch {
    // A tag may begin with a bracket.
    return [value];
  }
}

/** Parses a text; a part of type application/json arrives parsed. */
function jsonIn(name: string, value: unknown, code: 'invalid_request' | 'invalid_metadata'): unknown {
  if (typeof value !== 'string') return value;
  if (value === '') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw new ApiError(code, `${name} is not valid JSON`, name);
  }
}
