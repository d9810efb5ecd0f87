import type { Json, JsonObject } from '#platform/kernel';
import { isObject, listAt, textAt } from '../../json-values.ts';
import { turnsOfContent } from '../content.ts';
import { type ConversationFormat, consistsOf, type Turn, untitled } from '../conversation.ts';
import { systemTurns, turnsOfMessage } from '../messages.ts';
import { callNote } from '../notes.ts';

/** What a model calls, such as `function_call` and `web_search_call`, and what that returns. */
const CALL = /^([a-z_]{1,60})_call$/;
const OUTPUT = /_call_output$/;
/** Items that nobody says. */
const SILENT = new Set(['reasoning', 'item_reference', 'mcp_list_tools', 'compaction']);

/** Requests to the responses API of OpenAI, and lists of their items. */
export const openAiResponses: ConversationFormat = {
  read(value) {
    const input = isObject(value) ? value.input : value;
    const items = Array.isArray(input) ? input : [];
    const asked = typeof input === 'string' && textAt(value, 'model') !== null ? input : undefined;
    if (asked === undefined && !isListOfItems(items)) return null;
    const turns = [
      ...systemTurns(isObject(value) ? value.instructions : undefined),
      ...turnsOfContent({ speaker: 'user', time: null }, asked),
      ...items.flatMap((item) => (isObject(item) ? turnsOfItem(item) : [])),
    ];
    return turns.length === 0 ? null : [untitled(turns)];
  },
};

/** Messages alone are read as other messages. */
const isListOfItems = (items: readonly Json[]): boolean =>
  items.some(isOwn) && consistsOf(items, (item) => isOwn(item) || turnsOfMessage(item) !== null);

function isOwn(item: Json): boolean {
  const type = textAt(item, 'type') ?? '';
  const isPart = (part: Json): boolean => /^(?:in|out)put_text$/.test(textAt(part, 'type') ?? '');
  return CALL.test(type) || OUTPUT.test(type) || SILENT.has(type) || listAt(item, 'content').some(isPart);
}

function turnsOfItem(item: JsonObject): readonly Turn[] {
  const type = textAt(item, 'type') ?? 'message';
  if (SILENT.has(type)) return [];
  if (OUTPUT.test(type)) return toolTurns(item.output);
  const [, kind] = CALL.exec(type) ?? [];
  if (kind === undefined) return turnsOfMessage(item) ?? [];
  const note = callNote(
    textAt(item, 'name') ?? kind,
    item.arguments ?? item.input ?? item.action ?? item.queries ?? item.code,
  );
  return [{ speaker: 'assistant', words: note, time: null }, ...toolTurns(item.output)];
}

const toolTurns = (output: Json | undefined): readonly Turn[] =>
  turnsOfContent({ speaker: 'tool', time: null }, output);
