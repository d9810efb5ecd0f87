import { type Answered, at, textIn } from './answer.ts';
import { answerReader } from './answer-reader.ts';
import { readCall } from './chat-call.ts';
import { type Conversation, type Item, inFront, itemsOf, leadingSystem, plainMessage } from './conversation.ts';
import type { ChatFormat } from './format.ts';
import { elements, insertion, type JsonText, type Node, property, stringOf } from './json-text.ts';
import { endPropertyWithBlock, turnOf } from './message-text.ts';

/** Chat Completions, of OpenAI and of hosts that are compatible with it. */
export const openaiChat: ChatFormat = {
  name: 'openai-chat',
  takes: (method, path) => method === 'POST' && /(^|\/)chat\/completions\/?$/.test(path),
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
    beside: [property(root, 'tools'), property(root, 'functions')],
    model: stringOf(property(root, 'model')),
    user: stringOf(property(root, 'user')),
    stream: property(root, 'stream')?.value === true,
    isStateful: false,
    placeBlock: (block) => {
      const system = items[leadingSystem(items) - 1]?.node;
      if (system === undefined) {
        // A request must not have both roles.
        const role = items.some(({ node }) => roleOf(node) === 'developer') ? 'developer' : 'system';
        return [insertion(messages, 0, [JSON.stringify({ role, content: block })])];
      }
      return endPropertyWithBlock(json, system, 'content', block, { type: 'text', text: block });
    },
    putInFront: (turns) => inFront(messages, items, turns, plainMessage),
  };
}

const roleOf = (message: Node): string | undefined => stringOf(property(message, 'role'));

function itemOf(node: Node): Item | undefined {
  const role = roleOf(node);
  const content = property(node, 'content');
  switch (role) {
    case undefined:
      return undefined;
    case 'system':
    case 'developer':
      return { node, kind: 'system', calls: [], results: [] };
    case 'user':
      return { node, kind: 'user', turn: turnOf('user', content), calls: [], results: [] };
    case 'assistant':
      return { node, kind: 'assistant', turn: turnOf('assistant', content), calls: callsOf(node), results: [] };
    default: {
      // The former `function` messages have the name of the function only.
      const id = stringOf(property(node, 'tool_call_id')) ?? stringOf(property(node, 'name'));
      return { node, kind: 'other', calls: [], results: id === undefined ? [] : [id] };
    }
  }
}

function callsOf(message: Node): string[] {
  const ids = elements(property(message, 'tool_calls')).map((call) => property(call, 'id'));
  return [...ids, property(property(message, 'function_call'), 'name')].flatMap((id) => stringOf(id) ?? []);
}

/** Of a whole answer, or of a chunk of a stream: its choices have a `delta` for the `message`. */
function collect(value: unknown, answer: Answered): void {
  const choices = at(value, 'choices');
  const choice = Array.isArray(choices) ? choices.find((one) => (at(one, 'index') ?? 0) === 0) : undefined;
  answer.say(textIn(at(choice, 'message', 'content') ?? at(choice, 'delta', 'content')));
  if (typeof at(choice, 'finish_reason') === 'string') answer.complete();
  // Groq streams its usage in a field of its own.
  const usage = at(value, 'usage') ?? at(value, 'x_groq', 'usage');
  answer.use({
    input: at(usage, 'prompt_tokens'),
    cached: at(usage, 'prompt_tokens_details', 'cached_tokens') ?? at(usage, 'prompt_cache_hit_tokens'),
    output: at(usage, 'completion_tokens'),
  });
}
