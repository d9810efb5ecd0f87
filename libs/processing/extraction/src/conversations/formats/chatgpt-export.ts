import type { Json, JsonObject } from '#platform/kernel';
import { isObject, listAt, objectAt, textAt } from '../../json-values.ts';
import { wordsOf } from '../content.ts';
import type { ConversationFormat, Turn } from '../conversation.ts';
import { callNote } from '../notes.ts';
import { timeAt } from '../time.ts';

/** Marks between private characters: references are left out, names are kept. */
const MARK = /\ue200([^\ue200\ue201]{0,2000})\ue201/g;
/** References to sources in older exports. */
const REFERENCE = /【\d{1,4}[†:][^【】]{0,200}】/g;
const ENTITY = /^entity\ue202\["[^"]{0,200}","([^"]{0,200})"/;

/** A conversation of the export of ChatGPT: a tree of messages, of which the branch is read that was shown last. */
export const chatGptExport: ConversationFormat = {
  archived: /(?<=^|\/)conversations(?:-\d+)?\.json$/i,
  read(value) {
    const mapping = objectAt(value, 'mapping');
    const nodes = Object.values(mapping).filter((node): node is JsonObject => isObject(node) && 'message' in node);
    if (nodes.length === 0 || !isObject(value)) return null;
    const turns = branchOf(mapping, lastNode(value, nodes)).flatMap(turnsIn);
    return [{ title: textAt(value, 'title'), date: timeAt(value, 'create_time'), turns }];
  },
};

/** The node that was shown last, or else the end of a branch with the newest message. */
function lastNode(conversation: JsonObject, nodes: readonly JsonObject[]): JsonObject | undefined {
  const shown = objectAt(conversation.mapping, textAt(conversation, 'current_node') ?? '');
  if (Object.keys(shown).length > 0) return shown;
  const ends = nodes.filter((node) => isObject(node.message) && listAt(node, 'children').length === 0);
  const timeOf = (node: JsonObject): string => timeAt(objectAt(node, 'message'), 'create_time') ?? '';
  return ends.reduce<JsonObject | undefined>(
    (newest, node) => (newest !== undefined && timeOf(newest) > timeOf(node) ? newest : node),
    undefined,
  );
}

/** From the root to a node. */
function branchOf(mapping: JsonObject, last: JsonObject | undefined): readonly JsonObject[] {
  const branch = new Set<JsonObject>();
  for (let node = last; node !== undefined && !branch.has(node); ) {
    branch.add(node);
    const parent: Json | undefined = mapping[textAt(node, 'parent') ?? ''];
    node = isObject(parent) ? parent : undefined;
  }
  return [...branch].reverse();
}

function turnsIn({ message }: JsonObject): readonly Turn[] {
  if (!isObject(message)) return [];
  const metadata = objectAt(message, 'metadata');
  if (metadata.is_visually_hidden_from_conversation === true) return [];
  const speaker = textAt(message.author, 'role');
  const recipient = textAt(message, 'recipient') ?? 'all';
  const words = plain(wordsOfContent(objectAt(message, 'content')).join('\n')).trim();
  const files = listAt(metadata, 'attachments').flatMap((file) =>
    wordsOf(isObject(file) ? { type: 'file', title: file.name ?? null } : null),
  );
  const said = [...(words === '' ? [] : [recipient === 'all' ? words : callNote(recipient, words)]), ...files];
  return said.length === 0 ? [] : [{ speaker, words: said.join('\n'), time: timeAt(message, 'create_time') }];
}

function wordsOfContent(content: JsonObject): readonly string[] {
  switch (content.content_type) {
    // What the model remembers and thinks; the user does not see it.
    case 'model_editable_context':
    case 'thoughts':
    case 'reasoning_recap':
      return [];
    case 'user_editable_context':
      return [textAt(content, 'user_profile'), textAt(content, 'user_instructions')].filter((text) => text !== null);
    case 'tether_quote':
    case 'sonic_webpage':
      return [textAt(content, 'title'), textAt(content, 'text')].filter((text) => text !== null);
    case 'tether_browsing_display':
      return wordsOf([content.result ?? content.summary ?? '']);
    default:
      return 'parts' in content ? listAt(content, 'parts').flatMap(wordsOfPart) : wordsOf(content);
  }
}

function wordsOfPart(part: Json): readonly string[] {
  const type = textAt(part, 'content_type') ?? '';
  if (type === 'image_asset_pointer') return wordsOf({ type: 'image' });
  return /asset_pointer$/.test(type) ? [] : wordsOf(part);
}

const plain = (words: string): string =>
  words.replace(MARK, (_, mark: string) => ENTITY.exec(mark)?.[1] ?? '').replace(REFERENCE, '');
