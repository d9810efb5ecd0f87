import fc from 'fast-check';
import type { CountTokens } from '#platform/tokens';
import type { ChatFormat, Rewritten, Turn } from './format.ts';
import { CHAT_FORMATS } from './formats.ts';
import { elements, type JsonText, parseJson, property, sourceOf } from './json-text.ts';

/** A token for each character, so that budgets are easy to see. */
export const countCharacters: CountTokens = async (texts) => texts.map(({ length }) => length);

/** What a user asks, the tool calls of the assistant with their results, and what it says in the end. */
export interface Round {
  readonly question: string;
  /** Names of functions that are called at once. */
  readonly steps: readonly (readonly string[])[];
  readonly answer: string;
}

/** How each format writes a conversation. */
export interface Wire {
  readonly format: ChatFormat;
  readonly path: string;
  /** Fields of the body beside those that are generated. */
  body(rounds: readonly Round[], system: string | undefined): Record<string, unknown>;
  /** The list of messages. */
  readonly list: string;
}

/** Finds ids of calls and results in the source of a message. */
export const CALL_IDS = /call_\d+_\d+_\d+/g;
const format = (name: ChatFormat['name']): ChatFormat => CHAT_FORMATS.find((one) => one.name === name) as ChatFormat;
/** Ids name the round, the step and the place in it. */
const idsOf = (round: number, steps: Round['steps']) =>
  steps.map((names, step) => names.map((name, i) => ({ name, id: `call_${round}_${step}_${i}` })));

export const WIRES: readonly Wire[] = [
  {
    format: format('openai-chat'),
    path: '/v1/chat/completions',
    body: (rounds, system) => ({
      messages: [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        ...rounds.flatMap(({ question, steps, answer }, round) => [
          { role: 'user', content: question },
          ...idsOf(round, steps).flatMap((calls) => [
            {
              role: 'assistant',
              content: null,
              tool_calls: calls.map(({ id, name }) => ({ id, type: 'function', function: { name, arguments: '{}' } })),
            },
            ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '21 °C' })),
          ]),
          { role: 'assistant', content: answer },
        ]),
      ],
    }),
    list: 'messages',
  },
  {
    format: format('anthropic-messages'),
    path: '/v1/messages',
    body: (rounds, system) => ({
      ...(system === undefined ? {} : { system }),
      messages: rounds.flatMap(({ question, steps, answer }, round) => [
        { role: 'user', content: question },
        ...idsOf(round, steps).flatMap((calls) => [
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' },
              ...calls.map(({ id, name }) => ({ type: 'tool_use', id, name, input: { city: 'Oslo' } })),
            ],
          },
          {
            role: 'user',
            content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '21 °C' })),
          },
        ]),
        { role: 'assistant', content: [{ type: 'text', text: answer }] },
      ]),
    }),
    list: 'messages',
  },
  {
    format: format('openai-responses'),
    path: '/v1/responses',
    body: (rounds, system) => ({
      ...(system === undefined ? {} : { instructions: system }),
      input: rounds.flatMap(({ question, steps, answer }, round) => [
        { role: 'user', content: [{ type: 'input_text', text: question }] },
        ...idsOf(round, steps).flatMap((calls) => [
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VjcmV0' },
          ...calls.map(({ id, name }) => ({ type: 'function_call', call_id: id, name, arguments: '{}' })),
          ...calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: '21 °C' })),
        ]),
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer }] },
      ]),
    }),
    list: 'input',
  },
  {
    format: format('gemini'),
    path: '/v1beta/models/gemini-3-pro:generateContent',
    body: (rounds, system) => ({
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      contents: rounds.flatMap(({ question, steps, answer }, round) => [
        { role: 'user', parts: [{ text: question }] },
        ...idsOf(round, steps).flatMap((calls) => [
          { role: 'model', parts: calls.map(({ id, name }) => ({ functionCall: { id, name, args: { a: 1 } } })) },
          {
            role: 'user',
            parts: calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { b: 2 } } })),
          },
        ]),
        { role: 'model', parts: [{ text: answer }] },
      ]),
    }),
    list: 'contents',
  },
];

const said = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).map((text) => `${text}x`);
const round: fc.Arbitrary<Round> = fc.record({
  question: said,
  steps: fc.array(fc.array(fc.constantFrom('get_weather', 'search'), { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
  answer: said,
});
export const rounds = fc.array(round, { minLength: 1, maxLength: 6 });
export const turnsOf = (all: readonly Round[]): Turn[] =>
  all.flatMap(({ question, answer }) => [
    { role: 'user', text: question },
    { role: 'assistant', text: answer },
  ]);

/** How a client may write the same JSON. */
export interface Spelling {
  readonly indent: number;
  readonly escapes: boolean;
  readonly isModelLast: boolean;
}
export const spelling: fc.Arbitrary<Spelling> = fc.record({
  indent: fc.constantFrom(0, 1, 4),
  escapes: fc.boolean(),
  isModelLast: fc.boolean(),
});

/** Fields that no JSON library would write again as they are. */
export const ODD_FIELDS = '"temperature" : 1.0, "seed":12345678901234567890,"metadata":{"\\u0061":"\\/"  }';

export function sourceFor(wire: Wire, all: readonly Round[], system: string | undefined, how: Spelling): string {
  const body = wire.body(all, system);
  const written = JSON.stringify(body, null, how.indent);
  const spelled = how.escapes
    ? written.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : written;
  const inner = spelled.slice(1, -1);
  return how.isModelLast ? `{${inner},${ODD_FIELDS},"model":"m"}\n` : ` {"model":"m",${ODD_FIELDS},${inner}}`;
}

export const jsonOf = (text: string): JsonText => parseJson(Buffer.from(text)) as JsonText;

/** Returns the sources of the elements of a list in a body. */
export function sourcesIn(text: string, list: string): string[] {
  const json = jsonOf(text);
  return elements(property(json.root, list)).map((node) => sourceOf(json, node));
}

export async function rewriteText(
  { format, path }: Wire,
  source: string,
  change: Parameters<NonNullable<ReturnType<ChatFormat['read']>>['rewrite']>[0],
): Promise<Rewritten & { readonly text: string }> {
  const call = format.read(Buffer.from(source), path);
  if (call === undefined) throw new Error(`not understood: ${source}`);
  const rewritten = await call.rewrite(change, countCharacters);
  return { ...rewritten, text: rewritten.body.toString() };
}
