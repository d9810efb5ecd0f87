import { ClaudeCode } from './clients/plugins/claude-code.ts';
import { Codex } from './clients/plugins/codex.ts';
import { Hermes } from './clients/plugins/hermes.ts';
import { drawnGraph } from './clients/plugins/memory-graph.ts';
import { OpenClaw } from './clients/plugins/open-claw.ts';
import { OpenCode } from './clients/plugins/open-code.ts';
import { assistant, type Result, user } from './clients/plugins/plugin.ts';
import { MORNING, TIME, useContainers } from './clients/plugins/use-containers.ts';

/** What public plugins stored is shown to them in the fields that they read, without the markers of their formats. */

const containers = useContainers();
const { send } = containers;
const MARKERS = /\[Session|\[SAVE|\[\/SAVE|<\||\[role:|\[\w+:end\]|\[(user|assistant)\]|role: user/;

interface Entry {
  readonly memory: string;
  readonly sourceCount: number;
}

function expectReadable({ memory, chunk, content }: Result) {
  expect([memory, chunk].filter((text) => text !== undefined)).toEqual([content]);
}

test('no marker is shown, each result has its text twice, and a summary is a string', async () => {
  const tag = 'all plugins';
  const codex = new Codex(send, tag, 'reads');
  const claude = new ClaudeCode(send, tag, 'reads-claude');
  const claw = new OpenClaw(send, tag, '2026-11-03');
  await codex.turns(user('My boat is called Ottoline.'), assistant('A fine name for a boat.'));
  await codex.save('2026-11-27', 'The boat was sold to Mara.');
  await claude.turn(
    TIME,
    { role: 'user', text: 'The boat has a new mast.' },
    { role: 'assistant:tool', text: 'Bash cat boat.json' },
    { role: 'assistant:tool_result', text: 'The boat is nine metres long.' },
  );
  await claude.save('boats', '2026-11-28', 'The boat is insured.');
  await claw.capture(MORNING, user('The boat sails on Sundays.'), assistant('With the tide.'));
  await claw.store(MORNING, 'The boat lies at pier four.');
  await new OpenCode(send, tag).summary('We spoke about the boat.');
  await new Hermes(send, tag).session('reads-hermes', user('The boat needs paint.'), assistant('Which colour?'));

  const { documents, memories, texts } = await containers.shownIn(tag);
  const { passages, texts: ofPassages } = await containers.shownIn(tag, 'boat Ottoline tide paint');
  expect(documents).toHaveLength(5);
  for (const { title, summary } of documents)
    expect([title, summary]).toEqual([expect.any(String), expect.any(String)]);
  expect(memories.map(({ memory }) => memory).sort()).toEqual([
    'A fine name for a boat.',
    'Bash cat boat.json',
    'My boat is called Ottoline.',
    'The boat has a new mast.',
    'The boat is insured.',
    'The boat is nine metres long.',
    'The boat lies at pier four.',
    'The boat sails on Sundays.',
    'The boat was sold to Mara.',
    'We spoke about the boat.',
    'With the tide.',
    'assistant: Which colour?',
    'user: The boat needs paint.',
  ]);
  expect(passages.filter(({ chunk }) => chunk !== undefined).length).toBeGreaterThan(0);
  for (const result of [...memories, ...passages]) expectReadable(result);
  for (const text of [...texts, ...ofPassages]) expect(text).not.toMatch(MARKERS);
  for (const word of ['turn_start', 'SAVE', 'session', 'reads', 'tool_result', 'message', 'role']) {
    expect((await containers.shownIn(tag, word)).memories).toEqual([]);
  }
});

test('turns keep their speaker: a sentence is one memory of whoever says it', async () => {
  const tag = 'speakers';
  const said = 'The ketch lies in Bergen.';
  await new Codex(send, tag, 'speakers').turns(user(said));
  await new ClaudeCode(send, tag, 'speakers-claude').turn(TIME, { role: 'assistant', text: said });
  await new OpenClaw(send, tag, '2026-11-04').capture(MORNING, user(said));
  await containers.processed(tag);
  const path = '/v4/memories/list';
  const { body } = await send<{ memoryEntries: Entry[] }>('POST', path, { containerTags: [tag] });
  const entries = body.memoryEntries.map(({ memory, sourceCount }) => [memory, sourceCount]);
  expect(entries.sort()).toEqual([
    [said, 1],
    [said, 2],
  ]);
});

test('each plugin reads what it stored', async () => {
  const tag = 'readers';
  const codex = new Codex(send, tag, 'readers');
  const claude = new ClaudeCode(send, tag, 'readers-claude');
  const team = new ClaudeCode(send, tag, 'readers-team', 'team');
  const code = new OpenCode(send, tag);
  const hermes = new Hermes(send, tag);
  const claw = new OpenClaw(send, tag);
  expect((await claude.start()).map(({ profile }) => profile)).toEqual(
    Array.from({ length: 6 }, () => expect.objectContaining({ static: [], dynamic: [] })),
  );
  const starting = code.start();
  await codex.turns(user('The sextant is in the wardrobe.'));
  await claude.turn(TIME, { role: 'user', text: 'The compass is in the cellar.' });
  await team.save('map', '2026-11-27', 'The map is on the shelf.');
  await code.summary('We looked for the sextant.');
  expect((await starting).status).toBe(200);
  const recorded = { containerTag: tag, memories: [{ content: 'Mara is the skipper.', isStatic: true }] };
  expect((await send('POST', '/v4/memories', recorded)).status).toBe(201);
  await containers.processed(tag);

  expect(await codex.recall('Where is the sextant?')).toContain('The sextant is in the wardrobe.');
  expect(await claude.search('compass in the cellar')).toEqual(['The compass is in the cellar.']);
  expect(await team.search('map on the shelf')).toEqual(['The map is on the shelf.']);
  expect(await code.list()).toContainEqual(expect.objectContaining({ summary: 'We looked for the sextant.' }));
  const profile = await hermes.profile('sextant wardrobe');
  expect(profile.static).toEqual(['Mara is the skipper.']);
  expect(profile.dynamic).toEqual(
    expect.arrayContaining(['The sextant is in the wardrobe.', 'The map is on the shelf.']),
  );
  expect(profile.memories).toContain('The sextant is in the wardrobe.');
  for (const result of profile.results) expectReadable(result);
  const drawn = await drawnGraph(send, tag);
  expect(drawn.map(({ documentType }) => documentType)).toEqual(['text', 'text', 'text', 'text']);
  expect(drawn.flatMap(({ memories }) => memories.map(({ memory }) => memory))).toContain(
    'The compass is in the cellar.',
  );
  for (const limit of [1, 5, undefined]) expect((await claw.search('sextant', limit)).status).toBe(200);
  for (const limit of [0, -1, 2.5, 1_000, '5', 'all', {}]) {
    const refused = await claw.search('sextant', limit);
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('limit') } });
  }
});
