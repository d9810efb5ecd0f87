import type { Json, JsonObject } from '#platform/kernel';
import { dateInWords } from './dates.ts';
import { recordLine } from './records.ts';

const SPEAKER_KEYS = ['speaker', 'role', 'name', 'author', 'from', 'sender', 'user'];
const TEXT_KEYS = ['content', 'text', 'message', 'body', 'parts', 'value'];
const TIME_KEYS = ['timestamp', 'date', 'time', 'created_at', 'createdAt', 'create_time', 'ts'];
const LIST_KEYS = ['messages', 'conversation', 'turns', 'transcript', 'chat', 'history', 'dialogue'];
const MAX_NAME_WORDS = 4;
const MAX_NAME_LETTERS = 40;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** Seconds since the Unix epoch, as a text. */
const EPOCH = /^\d{9,10}\.\d+$/;
/** Maximum number of names in the path of a value; the last ones are kept. */
const PATH_LENGTH = 6;

/**
 * Writes an array of messages as a transcript, records as lines, and any other JSON as `path: value`. JSON lines are
 * read as an array. Returns null if the text is not JSON or holds no value.
 */
export function jsonToText(text: string): string | null {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return null;
  const readable = transcript(value) ?? outline(value);
  return readable.trim() === '' ? null : readable;
}

function parseJson(text: string): Json {
  try {
    return parseExactly(text);
  } catch {
    return parseJsonLines(text);
  }
}

/** Parses JSON. A number that JavaScript would write in another way, such as `1.10` or one of 20 digits, becomes a text. */
function parseExactly(text: string): Json {
  const value = JSON.parse(text) as Json;
  // The parser can only tell how a number is written in a way that is recursive.
  const quoted = text.replace(STRING_OR_NUMBER, (token) => (isExact(token) ? token : `"${token}"`));
  return quoted === text ? value : (JSON.parse(quoted) as Json);
}

const isExact = (token: string): boolean => token.startsWith('"') || String(Number(token)) === token;

function parseJsonLines(text: string): Json {
  const values: Json[] = [];
  try {
    for (const line of text.split('\n')) {
      if (line.trim() !== '') values.push(parseExactly(line));
    }
  } catch {
    return null;
  }
  return values;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Writes messages as `name: text` or `[8 May 2023, 13:56] name: text`. Returns null if the items are not messages. */
function transcript(value: JsonObject | readonly Json[]): string | null {
  const messages = messageList(value);
  if (messages === null || messages.length === 0) return null;
  const turns: string[] = [];
  for (const item of messages) {
    if (!isObject(item)) return null;
    const message = isObject(item.message) ? { ...item, ...item.message } : item;
    const speaker = speakerOf(message);
    if (speaker === null) return null;
    const text = textOf(message);
    if (text === null) return null;
    if (text !== '') turns.push(`${timeOf(message)}${speaker}: ${text}`);
  }
  return turns.join('\n');
}

function messageList(value: JsonObject | readonly Json[]): readonly Json[] | null {
  if (!isObject(value)) return value;
  for (const key of LIST_KEYS) {
    const list = value[key];
    if (Array.isArray(list)) return list;
  }
  return null;
}

function speakerOf(message: JsonObject): string | null {
  for (const key of SPEAKER_KEYS) {
    const value = message[key];
    const name = isObject(value) ? (value.name ?? value.role ?? value.username) : value;
    if (typeof name === 'string') {
      // Limited to what the head of a turn can hold, so that the result is parsed as a transcript.
      const plain = name
        .slice(0, 200)
        .replace(/[^\p{L}\p{M}\p{N}.'’_@&/#-]+/gu, ' ')
        .trim()
        .split(' ', MAX_NAME_WORDS)
        .join(' ')
        .slice(0, MAX_NAME_LETTERS)
        .trim();
      if (plain !== '') return plain;
    }
  }
  return null;
}

/** Returns the words of a message, '' if it has none (a tool call, an image), or null if the field is missing. */
function textOf(message: JsonObject): string | null {
  let found = false;
  for (const key of TEXT_KEYS) {
    if (!Object.hasOwn(message, key)) continue;
    found = true;
    const text = wordsIn(message[key]).join('\n').trim();
    if (text !== '') return text;
  }
  return found ? '' : null;
}

function wordsIn(content: Json | undefined): string[] {
  if (typeof content === 'string') return [content];
  if (Array.isArray(content)) {
    return content.flatMap((part: Json) =>
      typeof part === 'string' ? [part] : isObject(part) ? textOfPart(part) : [],
    );
  }
  return isObject(content) ? textOfPart(content) : [];
}

function textOfPart(part: JsonObject): string[] {
  for (const key of ['text', 'content', 'value']) {
    const value = part[key];
    if (typeof value === 'string') return [value];
  }
  return Array.isArray(part.parts) ? part.parts.filter((text: Json): text is string => typeof text === 'string') : [];
}

/** Returns `[8 May 2023, 13:56] ` or ''. The month is a word because questions name months. */
function timeOf(message: JsonObject): string {
  for (const key of TIME_KEYS) {
    const value = message[key];
    const isEpoch = typeof value === 'number' || (typeof value === 'string' && EPOCH.test(value));
    const iso = isEpoch ? isoOfEpoch(Number(value)) : value;
    if (typeof iso !== 'string') continue;
    const date = dateInWords(iso);
    const clock = /^\s*[\d-]{10}[T ](\d\d:\d\d)/.exec(iso)?.[1];
    if (date !== null) return clock === undefined ? `[${date}] ` : `[${date}, ${clock}] `;
  }
  return '';
}

/** Numbers are seconds or milliseconds since the Unix epoch, depending on their size. */
function isoOfEpoch(value: number): string | null {
  const date = new Date(value < 1e11 ? value * 1000 : value);
  return value > 1e8 && !Number.isNaN(date.getTime()) ? date.toISOString() : null;
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
