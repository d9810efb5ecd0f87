import { Mneme } from './support/mneme.ts';

/** Transcripts and notes in the forms in which public plugins store them, over HTTP. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Found {
  readonly id: string;
  readonly memory: string;
  readonly chunk: string;
  readonly location?: { readonly date?: string };
}

const add = async (customId: string, content: string) => {
  const { body } = await mneme.post<{ id: string }>('/v3/documents', { content, customId, containerTag: customId });
  return mneme.settled(body.id);
};
const found = async (q: string, containerTag: string, searchMode: string) =>
  (
    await mneme.post<{ results: readonly Found[] }>('/v4/search', {
      ...{ q, containerTag, searchMode, threshold: 0, limit: 100 },
    })
  ).body.results;

const CODEX = '[Session ID] 0199ab\n\n1. [user] My boat is called Ottoline.\n2. [assistant] A fine name for a boat.';
const CLAUDE_CODE = [
  '<|turn_start|>2026-11-27T09:30:00.000Z',
  '<|start|>user<|message|>The boat has a new mast.<|end|>',
  '<|start|>assistant:tool<|message|>Tool: Read boat.json<|end|>',
  '<|turn_end|>',
].join('\n\n');
const OPEN_CLAW = '[role: user]\nThe boat sails on Sundays.\n[user:end]';
const NOTE = '[SAVE:boats:2026-11-28]\nThe boat was sold to Mara.\n[/SAVE]';
const SUMMARY = '[Session Summary]\nWe spoke about the boat.';

test('what is appended in another form is read as what it is, and no marker is found, shown or embedded', async () => {
  const texts = [CODEX, CLAUDE_CODE, OPEN_CLAW, NOTE, SUMMARY];
  let record = {} as Awaited<ReturnType<typeof add>>;
  for (const text of texts) record = await add('forms', text);
  expect(record).toMatchObject({ content: texts.join('\n'), status: 'done', title: 'My boat is called Ottoline.' });

  const memories = await found('boat Ottoline', 'forms', 'memories');
  expect(new Map(memories.map(({ memory, location }) => [memory, location?.date]))).toEqual(
    new Map([
      ['My boat is called Ottoline.', undefined],
      ['A fine name for a boat.', undefined],
      ['The boat has a new mast.', '2026-11-27T09:30:00.000Z'],
      ['Tool: Read boat.json', '2026-11-27T09:30:00.000Z'],
      ['The boat sails on Sundays.', undefined],
      ['The boat was sold to Mara.', '2026-11-28'],
      ['We spoke about the boat.', undefined],
    ]),
  );
  const chunks = await found('boat', 'forms', 'documents');
  expect(chunks.length).toBeGreaterThan(0);
  for (const { chunk } of chunks) expect(chunk).not.toMatch(/\[|\]|<\|/);
  for (const marker of ['turn_start', '0199ab', 'SAVE', 'role', 'message', 'session', 'assistant']) {
    expect(await found(marker, 'forms', 'hybrid')).toEqual([]);
  }
  expect(record.summary).not.toMatch(/\[|<\|/);
});

test('a list of tasks is no transcript', async () => {
  await add('tasks', '[x] buy milk\n[ ] buy bread');
  expect((await found('buy milk', 'tasks', 'memories')).map(({ memory }) => memory)).toEqual([
    '[x] buy milk\n[ ] buy bread',
  ]);
});
