import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findTestModel, type TestModel } from '../libs/ports/models/src/test-model.ts';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';
import { runCommand } from './support/terminal.ts';

/** The requests of README.md and of the server's own greeting, pasted into a shell one after the other. */

const README = readFileSync(resolve(import.meta.dirname, '../README.md'), 'utf8');

let folder: string;
let model: TestModel;
let mneme: Mneme | null = null;
beforeAll(async () => {
  model = await findTestModel();
});
beforeEach(() => {
  // A name that the shell would split.
  folder = mkdtempSync(join(tmpdir(), "mneme readme's "));
});
afterEach(async () => {
  await mneme?.stop();
  mneme = null;
  rmSync(folder, { recursive: true, force: true });
});

async function start(env: Record<string, string | undefined> = {}): Promise<Mneme> {
  await mneme?.stop();
  const models = model.missing === undefined ? { MNEME_MODELS: join(model.dataFolder as string, 'models') } : {};
  mneme = await Mneme.start({
    folder,
    env: {
      MNEME_API_KEY: undefined,
      ...(model.missing === undefined && { MNEME_EMBEDDING: 'local' }),
      ...models,
      ...env,
    },
  });
  // The greeting is printed at once, and read line by line.
  await eventually(async () => (/The API, to read and to try/.test(mneme?.output.join('\n') ?? '') ? true : null));
  return mneme;
}

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The code blocks of a section. */
function blocksOf(title: string): Block[] {
  const section = README.split(/^## /m).find((one) => one.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

test('the requests of the README work one after the other, and answer as it shows', async () => {
  const server = await start();
  const { host } = new URL(server.url);
  const here = (text: string) =>
    text
      .replaceAll('localhost:6767', host)
      .replaceAll('data/owner.key', `'${folder.replaceAll("'", `'\\''`)}/owner.key'`);
  if (model.missing === undefined) {
    await eventually(async () => {
      const { body } = await server.get<{ search: { vectors: boolean } }>('/v3/health');
      return body.search.vectors ? true : null;
    });
  }

  const blocks = blocksOf('A first request');
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => here(text));
  expect(commands.length).toBeGreaterThan(4);
  // One shell, as for a reader who pastes them into one terminal.
  const script = commands.map((text) => `${text}\necho; echo '--- next'`).join('\n');
  const { out, err } = await runCommand(script);
  expect(err).toBe('');
  const answers = out.split('--- next\n').map((text) => text.trim());
  const shown = blocks.filter(({ language }) => language !== 'sh').map(({ text }) => text);
  const answering = answers.filter((text) => text !== '');
  expect(answering).toHaveLength(shown.length);
  for (const [i, text] of shown.entries()) {
    const answer = answering[i] as string;
    if (text.startsWith('HTTP/')) expect(answer.split('\r\n')[0]).toBe(text.trim());
    else {
      const fields = [...text.matchAll(/"(\w+)":/g)].map(([, name]) => name);
      // Without the model the search by meaning finds nothing.
      const expected =
        model.missing === undefined || !text.includes('"results"') ? fields : ['results', 'timing', 'total'];
      for (const field of expected) expect(answer).toContain(`"${field}":`);
    }
  }

  const [client] = blocksOf('With an existing client').filter(({ language }) => language === 'js');
  const run = await runCommand(`${process.execPath} --input-type=module --eval "$CODE"`, {
    env: {
      CODE: (client as Block).text,
      SUPERMEMORY_BASE_URL: server.url,
      OWNER_KEY: readFileSync(join(folder, 'owner.key'), 'utf8').trim(),
    },
  });
  expect(run).toMatchObject({ code: 0, out: expect.stringMatching(/^Maren is allergic to walnuts\. 0\.\d+\n$/) });
});

/** The indented lines of the greeting, which are to be pasted. */
function pasted(server: Mneme): { readonly add: string; readonly search: string } {
  const lines = server.output.filter((line) => line.startsWith('  ')).join('\n');
  const second = lines.lastIndexOf('\n  curl');
  return { add: lines.slice(0, second), search: lines.slice(second) };
}

async function expectPasted(env: Record<string, string>, shell: Record<string, string>): Promise<void> {
  const server = await start({ MNEME_EMBEDDING: 'off', ...env });
  const { add, search } = pasted(server);
  const added = await runCommand(add, { env: shell });
  expect(JSON.parse(added.out)).toMatchObject({ status: expect.any(String), id: expect.any(String) });
  const found = await eventually(async () => {
    const { out } = await runCommand(`${add.split('\n')[0]}\n${search}`, { env: shell });
    const { results } = JSON.parse(out) as { results: { memory: string }[] };
    return results[0]?.memory ?? null;
  });
  expect(found).toBe('The kettle is in the blue cupboard.');
}

test('the requests of the greeting can be pasted, of a first start and of a later one', async () => {
  await expectPasted({}, {});
  await expectPasted({}, {});
});

test('the requests of the greeting can be pasted with a key that is configured', async () => {
  await expectPasted({ MNEME_API_KEY: OWNER_KEY }, { MNEME_API_KEY: OWNER_KEY });
});
