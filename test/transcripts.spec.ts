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

describe('what is added one after the other', () => {
  const FACTS = ['Dana lives in Bergen.', 'Mara rows on Sundays.', 'Ottoline is a ketch.', 'The key is on the hook.'];
  const memoriesOf = async (tag: string) => (await found('*', tag, 'memories')).map(({ memory }) => memory).sort();

  test.each([
    [
      'alone',
      async (tag: string) => {
        for (const fact of FACTS) await add(tag, fact);
      },
    ],
    [
      'in a batch',
      async (tag: string) => {
        const documents = FACTS.map((content) => ({ content, customId: tag }));
        const { body } = await mneme.post<{ results: { id: string }[] }>('/v3/documents/batch', {
          ...{ documents, containerTag: tag },
        });
        await mneme.settled(body.results[0]?.id as string);
      },
    ],
  ])('%s is a memory each, and the others stay when one is forgotten', async (name, addEach) => {
    const tag = `facts-${name.replaceAll(' ', '-')}`;
    await addEach(tag);
    expect(await memoriesOf(tag)).toEqual([...FACTS].sort());
    const forgotten = await mneme.request('DELETE', '/v4/memories', {
      ...{ containerTag: tag, content: FACTS[1] },
    });
    expect(forgotten.status).toBe(200);
    expect(await memoriesOf(tag)).toEqual(FACTS.filter((fact) => fact !== FACTS[1]).sort());
  });

  test('a text that grows is cut as one', async () => {
    await add('grown', FACTS[0] as string);
    await add('grown', FACTS.slice(0, 2).join('\n'));
    expect(await memoriesOf('grown')).toEqual([FACTS.slice(0, 2).join('\n')]);
  });

  test('keeps its borders when the text before it is no plain text, and when more follows', async () => {
    await add('mixed', '<p>Dana lives</p><p>in Bergen.</p>');
    for (const fact of FACTS.slice(1)) await add('mixed', fact);
    expect(await memoriesOf('mixed')).toEqual(['Dana lives\n\nin Bergen.', ...FACTS.slice(1)].sort());
  });
});
