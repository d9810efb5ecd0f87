import { type Answered, at, textIn } from './answer.ts';
import { answerReader } from './answer-reader.ts';
import { readCall } from './chat-call.ts';
import { type Conversation, type Item, inFront, itemsOf, plainMessage } from './conversation.ts';
import type { ChatFormat } from './format.ts';
import { elements, type JsonText, type Node, property, stringOf } from './json-text.ts';
import { endPropertyWithBlock, turnOf } from './message-text.ts';

/** Anthropic's Messages. */
export const anthropicMessages: ChatFormat = {
  name: 'anthropic-messages',
  takes: (method, path) => method === 'POST' && /(^|\/)v1\/messages\/?$/.test(path),
  read: (body) => readCall(body, conversationOf),
  answer: (contentType) => answerReader(contentType, collect),
};

function conversationOf(json: JsonText): Conversation | undefined {
  const { root } = json;
  const messages = property(root, 'messages');
  const items = itemsOf(messages, itemOf);
  if (messages === undefined || items === undefined) return undefined;
  return {
    items,
    beside: [property(root, 'system'), property(root, 'tools')],
    model: stringOf(property(root, 'model')),
    stream: property(root, 'stream')?.value === true,
    isStateful: false,
    // A string has no mark for the cache, so it can grow; after parts that have one follows another part, without a mark.
    placeBlock: (block) => endPropertyWithBlock(json, root, 'system', block, { type: 'text', text: block }),
    putInFront: (turns) => inFront(messages, items, turns, plainMessage),
  };
}

function itemOf(node: Node): Item | undefined {
  const role = stringOf(property(node, 'role'));
  const content = property(node, 'content');
  if (role === undefined) return undefined;
  if (role === 'system') return { node, kind: 'system', calls: [], results: [] };
  const isAssistant = role === 'assistant';
  return {
    node,
    kind: isAssistant ? 'assistant' : 'user',
    turn: turnOf(isAssistant ? 'assistant' : 'user', content),
    calls: idsOf(content, 'tool_use', 'id'),
    results: idsOf(content, 'tool_result', 'tool_use_id'),
  };
}

const idsOf = (content: Node | undefined, type: string, name: string): string[] =>
  elements(content)
    .filter((block) => stringOf(property(block, 'type')) === type)
    .flatMap((block) => stringOf(property(block, name)) ?? []);

/** Of a whole answer, or of an event of a stream. */
function collect(value: unknown, answer: Answered): void {
  const type = at(value, 'type');
  // The beginning of a stream has a message without content, and its usage.
  const message = type === 'message_start' ? at(value, 'message') : value;
  if (at(message, 'role') === 'assistant') answer.say(textIn(at(message, 'content')));
  if (type === 'content_block_start') answer.say(textIn([at(value, 'content_block')]));
  if (type === 'content_block_delta') answer.say(textIn(at(value, 'delta', 'text')));
  if (typeof (at(message, 'stop_reason') ?? at(value, 'delta', 'stop_reason')) === 'string') answer.complete();
  const usage = at(message, 'usage');
  answer.use({
    input: at(usage, 'input_tokens'),
    cached: at(usage, 'cache_read_input_tokens'),
    output: at(usage, 'output_tokens'),
  });
}
