import { contentHash, type Json, type JsonObject } from '#platform/kernel';
import { callNote, imageNote } from '#processing/extraction';
import type { Message } from '../events.ts';

/** Longer names, and those that would end the brackets, are left out of the transcript. */
const SHORT_NAME = /^[^\])\n]{1,40}$/;

/** The URL of an image as it is stored. */
export function imageOf(url: string): string {
  const match = /^data:([^;,]*)/i.exec(url);
  return match ? `data:${match[1]};sha256,${contentHash(url)}` : url;
}

/** Whether two messages say the same: role, content, name and tool calls. */
export function sameMessage(a: Message, b: Message): boolean {
  return (
    a.role === b.role &&
    a.name === b.name &&
    sameJson(a.parts, b.parts) &&
    sameJson(a.toolCalls ?? [], b.toolCalls ?? [])
  );
}

/**
 * Returns the message as a turn of the transcript, `role: text`, without a line end.
 * @param words that are known of its pictures
 */
export function turnOf({ role, name, parts, toolCalls = [] }: Message, words?: ReadonlyMap<string, string>): string {
  const speaker = name !== undefined && SHORT_NAME.test(name) ? `${role} (${name})` : role;
  const said = parts.map((part) => ('text' in part ? part.text : imageNote(part.image, words?.get(part.image))));
  return `${speaker}: ${[...said, ...toolCalls.map(noteOfCall)].join('\n')}`;
}

function noteOfCall(call: JsonObject): string {
  const { name, arguments: sent } = isJsonObject(call.function) ? call.function : call;
  return callNote(typeof name === 'string' ? name : null, sent);
}

function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, i) => sameJson(one, b[i]));
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
