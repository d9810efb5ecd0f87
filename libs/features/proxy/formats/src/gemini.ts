import { type Answered, at, textIn } from './answer.ts';
import { answerReader } from './answer-reader.ts';
import { readCall } from './chat-call.ts';
import { type Conversation, type Item, inFront, itemsOf } from './conversation.ts';
import type { ChatFormat, Turn } from './format.ts';
import { elements, isAbsent, type JsonText, type Node, property, setting, stringOf } from './json-text.ts';
import { endWithBlock, turnOf } from './message-text.ts';

const PATH = /\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** Gemini's generateContent and streamGenerateContent. The model is in the path. */
export const gemini: ChatFormat = {
  name: 'gemini',
  takes: (method, path) => method === 'POST' && PATH.test(path),
  read: (body, path) => readCall(body, (json) => conversationOf(json, PATH.exec(path))),
  answer: (contentType) => answerReader(contentType, collect),
};

/** Returns a field by either of the names that the API takes. */
const field = (node: Node, ...names: readonly string[]): Node | undefined =>
  names.map((name) => property(node, name)).find((value) => !isAbsent(value));

function conversationOf(json: JsonText, path: RegExpExecArray | null): Conversation | undefined {
  const { root } = json;
  const contents = property(root, 'contents');
  const items = itemsOf(contents, itemOf);
  if (contents === undefined || items === undefined) return undefined;
  const system = field(root, 'systemInstruction', 'system_instruction');
  const parts = system && property(system, 'parts');
  if (system !== undefined && parts?.type !== 'array') return undefined;
  // The system text is in what the provider keeps, and a call that also has one is refused.
  const isStateful = field(root, 'cachedContent', 'cached_content') !== undefined;
  return {
    items,
    beside: [system, property(root, 'tools')],
    model: path?.[1],
    stream: path?.[2] === 'streamGenerateContent',
    isStateful,
    placeBlock: (block) => {
      if (isStateful) return [];
      const part = { text: block };
      if (parts === undefined) return [setting(root, 'systemInstruction', JSON.stringify({ parts: [part] }))];
      return endWithBlock(json, parts, block, part);
    },
    putInFront: (turns) => inFront(contents, items, turns, contentOf),
  };
}

const contentOf = ({ role, text }: Turn): object => ({
  role: role === 'assistant' ? 'model' : 'user',
  parts: [{ text }],
});

function itemOf(node: Node): Item | undefined {
  if (node.type !== 'object') return undefined;
  const role = stringOf(property(node, 'role')) ?? 'user';
  const parts = property(node, 'parts');
  const calls = idsOf(parts, 'functionCall', 'function_call');
  const results = idsOf(parts, 'functionResponse', 'function_response');
  if (role === 'model') return { node, kind: 'assistant', turn: turnOf('assistant', parts), calls, results };
  if (role === 'user') return { node, kind: 'user', turn: turnOf('user', parts), calls, results };
  return { node, kind: 'other', calls, results };
}

/** Ids of calls; most have a name only. */
const idsOf = (parts: Node | undefined, ...names: readonly string[]): string[] =>
  elements(parts).flatMap((part) => {
    const call = field(part, ...names);
    return (call && (stringOf(property(call, 'id')) ?? stringOf(property(call, 'name')))) ?? [];
  });

/** Of a whole answer, or of a piece of a stream: each has the next parts. */
function collect(value: unknown, answer: Answered): void {
  const candidates = at(value, 'candidates');
  const candidate = Array.isArray(candidates) ? candidates.find((one) => (at(one, 'index') ?? 0) === 0) : undefined;
  answer.say(textIn(at(candidate, 'content', 'parts')));
  if (typeof at(candidate, 'finishReason') === 'string') answer.complete();
  const usage = at(value, 'usageMetadata');
  const [said, thought] = [at(usage, 'candidatesTokenCount'), at(usage, 'thoughtsTokenCount')];
  answer.use({
    input: at(usage, 'promptTokenCount'),
    cached: at(usage, 'cachedContentTokenCount'),
    // Thinking is billed as output, and the other providers count it there.
    output: typeof said === 'number' && typeof thought === 'number' ? said + thought : said,
  });
}
