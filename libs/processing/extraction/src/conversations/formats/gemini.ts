import type { Json, JsonObject } from '#platform/kernel';
import { isObject, listAt, textAt } from '../../json-values.ts';
import { turnsOfContent } from '../content.ts';
import { type ConversationFormat, consistsOf, type Turn, untitled } from '../conversation.ts';
import { systemTurns } from '../messages.ts';
import { callNote, fileNote, imageNote } from '../notes.ts';

/** Requests to the API of Gemini, and lists of their contents. */
export const gemini: ConversationFormat = {
  read(value) {
    const contents = contentsIn(value);
    if (!consistsOf(contents, isContent)) return null;
    const system = isObject(value) ? (value.systemInstruction ?? value.system_instruction) : undefined;
    const turns = [
      ...systemTurns(system),
      ...contents.flatMap((content) => (isObject(content) ? turnsIn(content) : [])),
    ];
    return turns.length === 0 ? null : [untitled(turns)];
  },
};

function contentsIn(value: Json): readonly Json[] {
  if (!isObject(value)) return Array.isArray(value) ? value : [];
  const { contents = [] } = value;
  return Array.isArray(contents) ? contents : [typeof contents === 'string' ? { parts: [contents] } : contents];
}

const isContent = (item: Json): boolean =>
  isObject(item) && Array.isArray(item.parts) && (item.role === undefined || typeof item.role === 'string');

function turnsIn(content: JsonObject): readonly Turn[] {
  const role = textAt(content, 'role') ?? 'user';
  const turns: Turn[] = [];
  let said: Json[] = [];
  const close = (): void => {
    for (const turn of turnsOfContent({ speaker: role, time: null }, said)) turns.push(turn);
    said = [];
  };
  for (const part of listAt(content, 'parts')) {
    const returned = isObject(part) ? returnedBy(part) : undefined;
    if (returned === undefined) {
      said.push(isObject(part) ? wordsOfPart(part) : part);
      continue;
    }
    close();
    for (const turn of turnsOfContent({ speaker: 'tool', time: null }, returned)) turns.push(turn);
  }
  close();
  return turns;
}

/** Returns what a function or the execution of code returned. Undefined: the part is another one. */
function returnedBy(part: JsonObject): Json | undefined {
  const ran = part.codeExecutionResult ?? part.code_execution_result;
  if (isObject(ran)) return ran.output ?? '';
  const called = part.functionResponse ?? part.function_response;
  if (!isObject(called)) return undefined;
  const { response = null } = called;
  const [only, ...others] = isObject(response) ? Object.values(response) : [response];
  return typeof only === 'string' && others.length === 0 ? only : JSON.stringify(response);
}

function wordsOfPart(part: JsonObject): Json {
  if (part.thought === true) return '';
  const called = part.functionCall ?? part.function_call;
  if (isObject(called)) return callNote(textAt(called, 'name'), called.args);
  const code = part.executableCode ?? part.executable_code;
  if (isObject(code)) return callNote('code', code.code);
  const data = [part.inlineData, part.inline_data, part.fileData, part.file_data].find(isObject);
  if (data === undefined) return textAt(part, 'text') ?? '';
  const address = textAt(data, 'fileUri', 'file_uri');
  const isImage = textAt(data, 'mimeType', 'mime_type')?.startsWith('image/');
  return isImage ? imageNote(address ?? '') : fileNote(address ?? textAt(data, 'displayName', 'display_name'));
}
