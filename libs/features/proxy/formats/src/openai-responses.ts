import { type Answered, at, textIn } from './answer.ts';
import { answerReader } from './answer-reader.ts';
import { readCall } from './chat-call.ts';
import { type Conversation, type Item, inFront, itemsOf, plainMessage } from './conversation.ts';
import type { ChatFormat, Turn } from './format.ts';
import { type Edit, endOf, isAbsent, type JsonText, type Node, property, stringOf } from './json-text.ts';
import { endPropertyWithBlock, turnOf } from './message-text.ts';

/** OpenAI's Responses. */
export const openaiResponses: ChatFormat = {
  name: 'openai-responses',
  takes: (method, path) => method === 'POST' && /(^|\/)responses\/?$/.test(path),
  read: (body) => readCall(body, conversationOf),
  answer: (contentType) => answerReader(contentType, collect),
};

function conversationOf(json: JsonText): Conversation | undefined {
  const { root } = json;
  const input = property(root, 'input');
  const items = stringOf(input) === undefined ? itemsOf(input, itemOf) : [itemOfText(input as Node)];
  if (input === undefined || items === undefined) return undefined;
  return {
    items,
    beside: [property(root, 'instructions'), property(root, 'tools')],
    model: stringOf(property(root, 'model')),
    user: stringOf(property(root, 'user')),
    stream: property(root, 'stream')?.value === true,
    isStateful: ['previous_response_id', 'conversation'].some((name) => !isAbsent(property(root, name))),
    // The provider does not keep instructions for the next call, as it does with items of the input.
    placeBlock: (block) =>
      endPropertyWithBlock(json, root, 'instructions', block, { role: 'developer', content: block }),
    putInFront: (turns) => putInFront(input, items, turns),
  };
}

function putInFront(input: Node, items: readonly Item[], turns: readonly Turn[]): readonly Edit[] {
  if (stringOf(input) === undefined) return inFront(input, items, turns, plainMessage);
  const values = turns.map((turn) => JSON.stringify(plainMessage(turn)));
  return [
    { offset: input.offset, length: 0, content: `[${values.join(',')},{"role":"user","content":` },
    { offset: endOf(input), length: 0, content: '}]' },
  ];
}

const itemOfText = (node: Node): Item => ({ node, kind: 'user', turn: turnOf('user', node), calls: [], results: [] });

function itemOf(node: Node): Item | undefined {
  if (node.type !== 'object') return undefined;
  const type = stringOf(property(node, 'type')) ?? 'message';
  if (type === 'message') return itemOfMessage(node);
  const calls = /_call$/.test(type) ? ['call_id'] : type === 'mcp_approval_request' ? ['id'] : [];
  const results = /_call_output$/.test(type)
    ? ['call_id']
    : type === 'mcp_approval_response'
      ? ['approval_request_id']
      : [];
  const valuesOf = (names: readonly string[]) => names.flatMap((name) => stringOf(property(node, name)) ?? []);
  return { node, kind: 'other', calls: valuesOf(calls), results: valuesOf(results) };
}

function itemOfMessage(node: Node): Item | undefined {
  const role = stringOf(property(node, 'role'));
  if (role === undefined) return undefined;
  if (role !== 'user' && role !== 'assistant') return { node, kind: 'system', calls: [], results: [] };
  return { node, kind: role, turn: turnOf(role, property(node, 'content')), calls: [], results: [] };
}

/** Of a whole answer, or of an event of a stream: the last one has the whole answer. */
function collect(value: unknown, answer: Answered): void {
  if (at(value, 'type') === 'response.output_text.delta') {
    answer.say(textIn(at(value, 'delta')), at(value, 'output_index'));
    return;
  }
  const response = at(value, 'response') ?? value;
  const status = at(response, 'status');
  if (at(response, 'object') !== 'response' || (status !== 'completed' && status !== 'incomplete')) return;
  if (!answer.hasText) sayOutput(at(response, 'output'), answer);
  answer.complete();
  answer.use({
    input: at(response, 'usage', 'input_tokens'),
    cached: at(response, 'usage', 'input_tokens_details', 'cached_tokens'),
    output: at(response, 'usage', 'output_tokens'),
  });
}

function sayOutput(output: unknown, answer: Answered): void {
  if (!Array.isArray(output)) return;
  for (const [i, item] of output.entries()) {
    if (at(item, 'type') === 'message') answer.say(textIn(at(item, 'content')), i);
  }
}
