import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type LoopbackProvider,
  openProvider,
  type SeenCall,
} from '../apps/server/src/http/testing/loopback-provider.ts';
import { type Said, sayTo } from './clients/answers-of-models.ts';
import { installFrameworks, installPythonFrameworks, pythonIn } from './support/installed-clients.ts';
import { Mneme, OWNER_KEY } from './support/mneme.ts';

/** The examples of examples/frameworks, as a newcomer runs them, against this server and a scripted provider. */

const [node, python] = await Promise.all([installFrameworks(), installPythonFrameworks()]);
const EXAMPLES = resolve(import.meta.dirname, '../examples/frameworks');
const IN_JAVASCRIPT = ['openai.mjs', 'anthropic.mjs', 'ai-sdk-tools.mjs', 'ai-sdk-mcp.mjs', 'langchain.mjs'];
const IN_PYTHON = 'langchain_agent.py';
const TOLD = /is allergic to walnuts|am allergic to walnuts/;
const QUESTION = 'What am I allergic to?';

let provider: LoopbackProvider;
let mneme: Mneme;

beforeAll(async () => {
  provider = await openProvider((_, response, call) => sayTo(call, response, script(bodyOf(call))));
  const providers = [
    { name: 'openai', base: provider.url, format: 'openai' },
    { name: 'anthropic', base: provider.url, format: 'anthropic' },
  ];
  // Memory is waited for, however busy the machine is.
  const env = { MNEME_PROXY_PROVIDERS: JSON.stringify(providers), MNEME_PROXY_MEMORY_MS: '60000' };
  mneme = await Mneme.start({ env });
});
afterAll(async () => {
  await mneme?.stop();
  await provider?.close();
});

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly object[];
}

const bodyOf = ({ body }: SeenCall): Body => JSON.parse(body.toString());

/** The last words of the user. */
function asked({ messages }: Body): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content;
  return typeof content === 'string' ? content : String((content as { text?: string }[])[0]?.text);
}

const SAVE = /"name":"(add_?memory)"/i;
const SEARCH = /"name":"(search_?memor(?:y|ies))"/i;
/** Of the tool server, and of @supermemory/tools. */
const INPUTS: Readonly<Record<string, object>> = {
  add_memory: { content: 'Mara is allergic to walnuts.' },
  addMemory: { memory: 'Mara is allergic to walnuts.' },
  search_memory: { query: 'allergic to walnuts' },
  searchMemories: { informationToGet: 'allergic to walnuts' },
};

/** A model that knows what it is sent, and nothing else. It uses the tools that it is given, once for each question. */
function script(body: Body): Said {
  const question = asked(body);
  const wanted = /^Remember/.test(question) ? SAVE : SEARCH;
  const tool = wanted.exec(JSON.stringify(body.tools ?? []))?.[1];
  if (tool !== undefined && body.messages.at(-1)?.role !== 'tool') return { tool, input: INPUTS[tool] as object };
  if (question !== QUESTION) return 'I will remember it.';
  return TOLD.test(JSON.stringify(body)) ? 'To walnuts.' : 'I do not know.';
}

/** Runs an example, and expects that memory has reached the provider, and keys have not. */
async function expectMemory(program: string, ...args: readonly string[]): Promise<void> {
  provider.seen.length = 0;
  const out = await outputOf(program, args);
  expect(out).toMatch(
    /^user: .*\nmodel: I will remember it\.\n(remembered: .*\n)+user: What am I allergic to\?\nmodel: To walnuts\.\n$/,
  );
  expect(out).toMatch(/remembered: .*allergic to walnuts/);
  const last = bodyOf(provider.seen.at(-1) as SeenCall);
  // The first conversation was not sent again.
  expect(last.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  expect(JSON.stringify(last)).toMatch(TOLD);
  for (const { header, headers, body } of provider.seen) {
    expect(header('x-api-key') ?? header('authorization')).toMatch(/^(Bearer )?sk-own$/);
    expect(`${headers} ${body}`).not.toContain(OWNER_KEY);
  }
}

async function outputOf(program: string, args: readonly string[]): Promise<string> {
  const keys = { OPENAI_API_KEY: 'sk-own', ANTHROPIC_API_KEY: 'sk-own', MNEME_API_KEY: OWNER_KEY };
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, MNEME_URL: mneme.url, OPENAI_BASE_URL: `${provider.url}/v1`, ...keys },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (!out.includes(QUESTION)) throw new Error(`${out}\n${err}`);
  return out;
}

if ('missing' in node) {
  test.skip(`SKIPPED: ${node.missing}`, () => {});
} else {
  test.each(IN_JAVASCRIPT)('%s', (file) => expectMemory(process.execPath, join(node.folder, file)));
}

if ('missing' in python) {
  test.skip(`SKIPPED: ${python.missing}`, () => {});
} else {
  test(IN_PYTHON, () => expectMemory(pythonIn(python.folder), '-B', join(EXAMPLES, IN_PYTHON)));
}

test('every example is run', async () => {
  const files = (await readdir(EXAMPLES)).filter((name) => /\.(mjs|py)$/.test(name) && name !== 'mneme.mjs');
  expect(files.sort()).toEqual([...IN_JAVASCRIPT, IN_PYTHON].sort());
});
