import type { Turn } from './format.ts';
import {
  type Edit,
  elements,
  insertion,
  isAbsent,
  type JsonText,
  type Node,
  property,
  replacement,
  setting,
  sourceOf,
  stringOf,
} from './json-text.ts';
import { withBlock, withoutBlock } from './memory-block.ts';

/** The parts that have text: of OpenAI's chat and Anthropic; of the Responses; of Gemini, which names no type. */
const TEXT_TYPES = new Set([undefined, 'text', 'input_text', 'output_text']);

/** Returns the text of a content that is a string or a list of parts, thinking left out; '' if it has none. */
function textOf(content: Node | undefined, gap: string): string {
  const text = stringOf(content);
  if (text !== undefined) return text;
  return elements(content)
    .flatMap((part) => textOfPart(part) ?? [])
    .join(gap);
}

function textOfPart(part: Node): string | undefined {
  if (!TEXT_TYPES.has(stringOf(property(part, 'type'))) || property(part, 'thought')?.value === true) return undefined;
  return stringOf(property(part, 'text'));
}

/**
 * Returns what is said in a content as a turn; undefined if it is nothing. The parts of an answer are joined as they came,
 * those of the user are lines.
 */
export function turnOf(role: Turn['role'], content: Node | undefined): Turn | undefined {
  return turnOfText(role, textOf(content, role === 'user' ? '\n' : ''));
}

export function turnOfText(role: Turn['role'], said: string): Turn | undefined {
  const text = withoutBlock(said);
  return text.trim() === '' ? undefined : { role, text };
}

/** Makes the block the end of the system text in a property; if there is none, the block is all of it. */
export function endPropertyWithBlock(
  json: JsonText,
  owner: Node,
  name: string,
  block: string,
  part: object,
): readonly Edit[] {
  const text = property(owner, name);
  return text === undefined || isAbsent(text)
    ? [setting(owner, name, JSON.stringify(block))]
    : endWithBlock(json, text, block, part);
}

/**
 * Makes the block the end of a system text that is a string, or the last of its parts. Those before it keep their bytes and
 * their marks for the provider's cache. A block that the client has sent back leaves.
 * Returns no edit if the system text is neither.
 * @param part the block as a part of such a list
 */
export function endWithBlock(json: JsonText, text: Node, block: string, part: object): readonly Edit[] {
  const whole = stringOf(text);
  if (whole !== undefined) {
    const cleaned = withoutBlock(whole);
    if (cleaned !== whole) return [replacement(text, JSON.stringify(withBlock(cleaned, block)))];
    const added = JSON.stringify(withBlock(whole, block).slice(whole.length)).slice(1, -1);
    return [{ offset: text.offset + text.length - 1, length: 0, content: added }];
  }
  if (text.type !== 'array') return [];
  const last = JSON.stringify(part);
  const parts = elements(text).map((one) => withoutFormer(json, one));
  if (parts.every(({ isChanged }) => !isChanged)) return [insertion(text, parts.length, [last])];
  const rest = parts.flatMap(({ source }) => source ?? []);
  return [replacement(text, `[${[...rest, last].join(',')}]`)];
}

/** Returns the source of a part of the system text without a block, or none if nothing else was in it. */
function withoutFormer(json: JsonText, part: Node): { source?: string; isChanged: boolean } {
  const source = sourceOf(json, part);
  const node = property(part, 'text');
  const text = stringOf(node);
  const cleaned = text === undefined ? undefined : withoutBlock(text);
  if (node === undefined || cleaned === text) return { source, isChanged: false };
  if (cleaned === '') return { isChanged: true };
  const start = node.offset - part.offset;
  const rest = source.slice(start + node.length);
  return { source: `${source.slice(0, start)}${JSON.stringify(cleaned)}${rest}`, isChanged: true };
}
