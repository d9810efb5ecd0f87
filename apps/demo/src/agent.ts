import type { Api } from './api.ts';
import { wrap } from './lines.ts';
import type { Message, ScriptedProvider } from './scripted-provider.ts';
import { DemoError } from './server.ts';

/** Of the provider that the demo's server knows as `demo`. */
const CHAT = '/proxy/demo/v1/chat/completions';
const MARA = 'demo-mara';
const TOM = 'demo-tom';
const TOLD = 'My boat is called Heron, and she lies in Tromsø this winter.';
const QUESTION = 'What is my boat called?';
const NOTED = 'A fine name. I wish her a calm winter.';
const KNOWN = 'She is called Heron.';
const UNKNOWN = 'I do not know: you have not told me.';
/** Milliseconds. */
const WAIT = 30_000;
/** Milliseconds. */
const PAUSE = 50;

/** A model that knows what it is sent, and nothing else. */
export function scriptedModel(messages: readonly Message[]): string {
  if (messages.at(-1)?.content !== QUESTION) return NOTED;
  return JSON.stringify(messages).includes('called Heron') ? KNOWN : UNKNOWN;
}

/** Shows conversations with a model, to which the server adds what it remembers. @throws DemoError if an answer is not as it should be */
export async function showAgent(api: Api, provider: ScriptedProvider, say: (text: string) => void): Promise<void> {
  const ask = async (user: string, content: string): Promise<string> => {
    const body = { model: 'scripted', user, messages: [{ role: 'user', content }] };
    const { choices } = await api.post<Completion>(CHAT, body);
    return choices[0]?.message.content ?? '';
  };
  const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
    const end = performance.now() + WAIT;
    while (!(await isSo())) {
      if (performance.now() > end) throw new DemoError(`${what} within ${WAIT / 1000} s`);
      await api.pause(PAUSE);
    }
  };
  const show = async (name: string, user: string, content: string, expected: string): Promise<void> => {
    const answer = await ask(user, content);
    say(`   ${name}: ${content}\n   model: ${answer}`);
    if (answer !== expected) throw new DemoError(`The model should have said "${expected}"`);
  };

  say('\nThe model is a script on this machine. It knows what it is sent, and nothing else.');
  say(`Every call is a conversation of its own: POST ${CHAT}`);
  say('\n1. Mara tells something');
  await show('Mara', MARA, TOLD, NOTED);
  await until('The conversation was not remembered', async () => {
    const found = await api.post('/v4/search', { q: QUESTION, containerTag: MARA, threshold: 0 });
    return found.results.length > 0;
  });

  say('\n2. Later Mara asks, in another conversation');
  await show('Mara', MARA, QUESTION, KNOWN);
  say('   What the server has added to this call:');
  for (const line of systemText(provider.received).split('\n')) say(wrap(line, '     '));

  say('\n3. Tom asks the same');
  await show('Tom', TOM, QUESTION, UNKNOWN);

  const tag = `/v3/container-tags/${MARA}`;
  say(`\n4. Mara wants to be forgotten\n   DELETE ${tag}`);
  await until('Mara was not forgotten', async () => {
    // Also what was stored after the last answer.
    await api.request('DELETE', tag);
    return (await ask(MARA, QUESTION)) === UNKNOWN;
  });
  say(`   Mara: ${QUESTION}\n   model: ${UNKNOWN}`);
}

interface Completion {
  readonly choices: readonly { readonly message: Message }[];
}

function systemText(messages: readonly Message[]): string {
  const system = messages.find(({ role }) => role === 'system');
  if (system === undefined) throw new DemoError('The call had no memories');
  return system.content;
}
