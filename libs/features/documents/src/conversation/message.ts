import { contentHash, type Json, type JsonObject } from '#platform/kernel';
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
  return `${speaker}: ${[...said, ...toolCalls.map(callNote)].join('\n')}`;
}

/** Without the query, which may hold a signature; words of the path may be searched for. */
function imageNote(url: string, words?: string): string {
  const place = /^https?:\/\/[^?#\s]{1,500}/i.exec(url)?.[0];
  const note = place === undefined ? 'image' : `image ${place}`;
  return words === undefined ? `[${note}]` : `[${note}: ${words}]`;
}

function callNote(call: JsonObject): string {
  const { name, arguments: sent } = isJsonObject(call.function) ? call.function : call;
  const values = sent === undefined || sent === null ? '' : typeof sent === 'string' ? sent : JSON.stringify(sent);
  return `[calls ${typeof name === 'string' ? name : 'a tool'}${values === '' ? '' : ` ${values}`}]`;
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
