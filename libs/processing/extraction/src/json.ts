import type { Json, JsonObject } from '#platform/kernel';
import { conversationText } from './conversations/conversation-text.ts';
import { readConversations } from './conversations/read-conversations.ts';
import type { ReadableText } from './extractors/extractor.ts';
import { isObject } from './json-values.ts';
import { parseJson } from './parse-json.ts';
import { recordLine } from './records.ts';

/** Maximum number of names in the path of a value; the last ones are kept. */
const PATH_LENGTH = 6;

/**
 * Reads conversations as turns, records as lines, and any other JSON as `path: value`. JSON lines are read as an array. Returns
 * null if the text is not JSON or holds no value.
 */
export async function readJson(text: string): Promise<ReadableText | null> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return null;
  const conversations = await readConversations(value);
  const readable = conversations === null ? { text: outline(value), title: null } : conversationText(conversations);
  return readable.text.trim() === '' ? null : readable;
}

interface PendingValue {
  readonly path: readonly string[];
  readonly value: Json;
  /** True: begins a paragraph. */
  readonly apart: boolean;
}

/** Writes `- path > to: value` lines. Not recursive: the sender chooses the depth of the JSON. */
function outline(root: JsonObject | readonly Json[]): string {
  const lines: string[] = [];
  const pending: PendingValue[] = [{ path: [], value: root, apart: false }];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { path, value, apart } = node;
    const name = path.join(' > ');
    if (apart && lines.length > 0 && lines.at(-1) !== '') lines.push('');
    if (isRecord(value) && apart) {
      const line = recordLine(Object.entries(value).map(([key, field]) => [key, scalarText(field)]));
      if (line !== '') lines.push(name === '' ? line : line.replace('- ', `- ${name} > `));
    } else if (Array.isArray(value) && !isScalarList(value)) {
      for (let index = value.length - 1; index >= 0; index--) {
        pending.push({ path, value: value[index] as Json, apart: true });
      }
    } else if (isObject(value)) {
      for (const [key, field] of Object.entries(value).reverse()) {
        pending.push({ path: [...path, key].slice(-PATH_LENGTH), value: field as Json, apart: false });
      }
    } else {
      const line = recordLine([[name, scalarText(value)]]);
      if (line !== '') lines.push(line);
    }
  }
  return lines.join('\n');
}

function isScalarList(value: readonly Json[]): boolean {
  return value.every((item) => typeof item !== 'object' || item === null);
}

function isScalar(value: Json | undefined): boolean {
  return Array.isArray(value) ? isScalarList(value) : !isObject(value);
}

/** An object whose values all fit on a line. */
function isRecord(value: Json): value is JsonObject {
  return isObject(value) && Object.values(value).every(isScalar);
}

function scalarText(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(scalarText).join(', ') : String(value);
}
