import { isUtf8 } from 'node:buffer';
import type { MultipartFile } from '@fastify/multipart';
import { invalid, isObject } from '#platform/input';
import { jsonSize } from '#platform/kernel';
import { ApiError, payloadTooLarge } from '../errors/api-error.ts';

export const MAX_FIELDS = 100;
/** Of the names and values of all fields. Above the limit of any field, so that the error names the field's own limit. */
const MAX_BYTES = 1_048_576;
/** Of a form without the content of its file: delimiters and the headers of all parts come on top of the fields. */
const MAX_FORM_BYTES = MAX_BYTES + 65_536;

/** What the parser puts in the place of invalid UTF-8 in the name of a part. */
const REPLACEMENT = '\ufffd';

const METADATA_KEY = /^metadata\[(.*)\]$/s;

/** Turns the text parts of a form into the equivalent JSON body. */
export class FormFields {
  private readonly texts = new Map<string, unknown>();
  private readonly tags: unknown[] = [];
  private readonly metadata: [string, unknown][] = [];

  add(name: string, value: unknown): void {
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

/** Reads the fields of one form, as far as they are within their limit together. */
export class FieldReader {
  #left = MAX_BYTES;

  /**
   * Reads the value of a part that is no file. A part of type application/json is parsed.
   * @throws ApiError if the form is too long, or the part no valid UTF-8 or no valid JSON
   */
  async read({ fieldname: name = '', file, mimetype }: MultipartFile): Promise<unknown> {
    if (name.includes(REPLACEMENT)) throw invalid('body', 'The name of a part is not valid UTF-8');
    this.#take(Buffer.byteLength(name));
    const pieces: Buffer[] = [];
    for await (const piece of file) {
      this.#take(piece.length);
      pieces.push(piece);
    }
    const bytes = Buffer.concat(pieces);
    if (!isUtf8(bytes)) throw invalid(name, `${name} is not valid UTF-8`);
    const text = bytes.toString();
    return mimetype === 'application/json' ? jsonIn(name, text, 'invalid_request') : text;
  }

  #take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw fieldsTooLarge();
  }
}

const fieldsTooLarge = (): ApiError =>
  payloadTooLarge('body', 'The fields of the multipart body are larger than 1 MiB');

/**
 * Checks what the parser does not pass on: names and other headers beyond 80 KiB, which it cuts off, and parts without a name.
 * @param bytes of the form without the content of its file
 * @throws ApiError if the form is too long
 */
export function checkFormSize(bytes: number): void {
  if (bytes > MAX_FORM_BYTES) throw fieldsTooLarge();
}

/** Reads one tag, or the JSON text of an array of tags. */
function tagsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || !value.trimStart().startsWith('[')) return [value];
  // A tag may begin with a bracket.
  const parsed = parsedJson('containerTags', value) ?? value;
  return Array.isArray(parsed) ? parsed : [value];
}

/** Parses a text; a part of type application/json is parsed already. */
function jsonIn(name: string, value: unknown, code: 'invalid_request' | 'invalid_metadata'): unknown {
  if (typeof value !== 'string') return value;
  if (value === '') return undefined;
  const parsed = parsedJson(name, value);
  if (parsed === undefined) throw new ApiError(code, `${name} is not valid JSON`, name);
  return parsed;
}

/** Returns undefined if the text is not JSON. @throws ApiError if it exceeds the limits of JSON bodies */
function parsedJson(name: string, text: string): unknown {
  const { exceeds } = jsonSize(Buffer.from(text));
  if (exceeds !== null) throw payloadTooLarge(name, `${name} is nested too deep or has too many values`);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
