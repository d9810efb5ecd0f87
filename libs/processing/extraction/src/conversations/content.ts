import type { Json, JsonObject } from '#platform/kernel';
import { isObject, objectAt, textAt } from '../json-values.ts';
import type { Turn } from './conversation.ts';
import { callNote, fileNote, imageNote } from './notes.ts';

/** Lists inside lists that are read: what a tool returns is a list of parts inside a part of a message. */
const MAX_DEPTH = 4;

/**
 * Returns the turns of one message, whose content is a text or a list of parts. What a tool returns is a turn of the tool,
 * in its place.
 */
export function turnsOfContent(message: Omit<Turn, 'words'>, content: Json | undefined): readonly Turn[] {
  const turns: Turn[] = [];
  let words: string[] = [];
  const close = (): void => {
    if (words.length > 0) turns.push({ ...message, words: words.join('\n') });
    words = [];
  };
  for (const part of Array.isArray(content) ? content : [content]) {
    if (isObject(part) && isToolResult(part)) {
      close();
      turns.push({ speaker: 'tool', words: wordsOf(part.content ?? part.output).join('\n'), time: message.time });
    } else {
      for (const said of wordsOf(part)) words.push(said);
    }
  }
  close();
  return turns;
}

const isToolResult = ({ type }: JsonObject): boolean => typeof type === 'string' && type.endsWith('tool_result');

/** Returns the words of a text, a part of a message, or a list of such. What is no text is a note or left out. */
export function wordsOf(content: Json | undefined, depth = 0): readonly string[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [content];
  if (Array.isArray(content)) return depth > MAX_DEPTH ? [] : content.flatMap((part) => wordsOf(part, depth + 1));
  if (!isObject(content) || depth > MAX_DEPTH) return [];
  const { type } = content;
  const read = typeof type === 'string' && Object.hasOwn(NOTED, type) ? NOTED[type] : undefined;
  if (read) return read(content);
  const text = textAt(content, 'text', 'content', 'value', 'refusal', 'transcript');
  if (text !== null) return [text];
  const inner = [content.text, content.content, content.parts].find((value) => isObject(value) || Array.isArray(value));
  return inner === undefined ? [] : wordsOf(inner, depth + 1);
}

const NOTHING = (): readonly string[] => [];
const image = (part: JsonObject): readonly string[] => [
  imageNote(
    textAt(part, 'image_url') ?? textAt(objectAt(part, 'image_url'), 'url') ?? textAt(part.source, 'url') ?? '',
  ),
];
const call = ({ name, input }: JsonObject): readonly string[] => [
  callNote(typeof name === 'string' ? name : null, input),
];
const file = (part: JsonObject): readonly string[] => {
  const name = textAt(part, 'filename', 'file_name', 'title') ?? textAt(part.file, 'filename');
  return [fileNote(name, textAt(part.source, 'type') === 'text' ? textAt(part.source, 'data') : null)];
};

/** Types of parts that are more than a text, or that nobody says. */
const NOTED: Readonly<Record<string, (part: JsonObject) => readonly string[]>> = {
  image,
  image_url: image,
  image_file: image,
  input_image: image,
  document: file,
  file,
  input_file: file,
  tool_use: call,
  server_tool_use: call,
  mcp_tool_use: call,
  thinking: NOTHING,
  redacted_thinking: NOTHING,
  reasoning: NOTHING,
  input_audio: (part) => wordsOf(textAt(part, 'transcript') ?? undefined),
};
