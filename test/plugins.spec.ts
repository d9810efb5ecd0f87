import { ClaudeCode } from './clients/plugins/claude-code.ts';
import { Codex } from './clients/plugins/codex.ts';
import { Hermes } from './clients/plugins/hermes.ts';
import { OpenClaw } from './clients/plugins/open-claw.ts';
import { OpenCode } from './clients/plugins/open-code.ts';
import { assistant, user } from './clients/plugins/plugin.ts';
import { MORNING, TIME, useContainers } from './clients/plugins/use-containers.ts';

/** What public plugins send: nothing of it becomes visible in another container, and nothing that was stored vanishes. */

const containers = useContainers();
const { send } = containers;

/** Of each plugin what it writes in a container, under one customId for all containers, and that customId. */
const WRITERS: readonly [string, string, (tag: string, text: string) => Promise<unknown>][] = [
  [
    'Codex',
    'leak-codex_project',
    (tag, text) => new Codex(send, tag, 'leak-codex').turns(user(text), assistant('Noted.')),
  ],
  [
    'Claude Code',
    'leak-claude',
    (tag, text) => new ClaudeCode(send, tag, 'leak-claude').turn(TIME, { role: 'user', text }),
  ],
  ['OpenCode', 'leak-opencode', (tag, text) => new OpenCode(send, tag).summary(text, 'leak-opencode')],
  [
    'OpenClaw',
    'session_2026-11-01_b1',
    (tag, text) => new OpenClaw(send, tag, '2026-11-01').capture(MORNING, user(text)),
  ],
  ['Hermes', 'leak-hermes', (tag, text) => new Hermes(send, tag).session('leak-hermes', user(text))],
];

describe('nothing leaks', () => {
  test.each(WRITERS)('%s: one customId in two containers', async (name, customId, write) => {
    const tags = [`${name} one`, `${name} two`] as const;
    await write(tags[0], 'The walrus sleeps on the pier.');
    await write(tags[1], 'The okapi eats in the barn.');
    await write(tags[0], 'The walrus wakes at noon.');
    await write(tags[1], 'The okapi leaves at night.');
    const ids: string[] = [];
    for (const [tag, own, foreign] of [
      [tags[0], 'walrus', 'okapi'],
      [tags[1], 'okapi', 'walrus'],
    ] as const) {
      for (const q of ['*', 'walrus okapi']) {
        const { documents, texts } = await containers.shownIn(tag, q);
        expect(documents).toHaveLength(1);
        const all = [...texts, ...documents.map(({ content }) => content)];
        expect(all).toContainEqual(expect.stringContaining(own));
        expect(all).not.toContainEqual(expect.stringContaining(foreign));
      }
      const picked = await send('GET', `/v3/documents/${customId}?containerTag=${encodeURIComponent(tag)}`);
      expect(picked).toMatchObject({ status: 200, body: { containerTags: [tag] } });
      expect(picked.body.content).not.toContain(foreign);
      ids.push(picked.body.id as string);
    }
    const elsewhere = await send('GET', `/v3/documents/${ids[0]}?containerTag=${encodeURIComponent(tags[1])}`);
    expect(elsewhere.status).toBe(404);
    const ambiguous = await send('GET', `/v3/documents/${customId}`);
    expect(ambiguous).toMatchObject({ status: 404, body: { code: 'ambiguous_custom_id' } });
  });

  test('OpenClaw: four blocks of a day, in several containers and from several hosts at once', async () => {
    const tags = ['claw-home', 'claw-work', 'claw-lab'];
    const hours = [2, 8, 14, 20];
    const hosts = ['ada', 'bob', 'cyd'];
    const write = async (tag: string, hour: number, host: string) => {
      const claw = new OpenClaw(send, tag);
      const text = `The ${host} host of ${tag} is up at ${hour}.`;
      return [tag, claw.customId(hour), await claw.store(hour, text), await claw.capture(hour, user(`${text} Good.`))];
    };
    const sent = await Promise.all(
      tags.flatMap((tag) => hours.flatMap((hour) => hosts.map((host) => write(tag, hour, host)))),
    );
    for (const tag of tags) {
      const { documents, texts } = await containers.shownIn(tag);
      expect(documents.map(({ customId }) => customId).sort()).toEqual(
        [0, 1, 2, 3].map((block) => `session_2026-11-27_b${block}`),
      );
      for (const { customId, content } of documents) {
        const added = sent.filter(([to, name]) => to === tag && name === customId).flatMap((one) => one.slice(2));
        expect(added).toHaveLength(2 * hosts.length);
        for (const text of added) expect(content).toContain(text);
      }
      const all = [...texts, ...documents.map(({ content }) => content)];
      for (const other of tags.filter((one) => one !== tag)) {
        expect(all).not.toContainEqual(expect.stringContaining(other));
      }
    }
  });

  test('OpenClaw: a container that is emptied, beside another with the same customIds', async () => {
    const emptied = new OpenClaw(send, 'claw emptied', '2026-11-09');
    const kept = new OpenClaw(send, 'claw kept', '2026-11-09');
    for (const hour of [2, 8, 14]) {
      await emptied.store(hour, 'The walrus sleeps on the pier.');
      await kept.store(hour, 'The okapi eats in the barn.');
    }
    expect(await emptied.empty()).toBe(3);
    expect(await containers.shownIn('claw emptied')).toEqual({ documents: [], memories: [], passages: [], texts: [] });
    expect((await containers.shownIn('claw kept')).documents).toHaveLength(3);
    await emptied.store(MORNING, 'The heron waits.');
    expect((await containers.shownIn('claw emptied')).documents).toMatchObject([{ content: 'The heron waits.' }]);
  });
});

describe('nothing is lost', () => {
  const contentOf = async (customId: string) => (await send('GET', `/v3/documents/${customId}`)).body.content;

  test('Codex: turns that are numbered from 1 each time, a repeated command, and notes', async () => {
    const codex = new Codex(send, 'codex losses', 'codex-losses');
    const run = user('run the unit tests of the parser, and tell me only what fails and why it fails');
    const sent = [
      await codex.turns(run, assistant('Two tests of the parser fail.')),
      await codex.turns(user('run the lint tests of the parser'), assistant('The linter finds nothing.')),
      await codex.turns(run, assistant('All tests of the parser pass.')),
      await codex.save('2026-11-26', 'The release is on Monday.'),
      await codex.save('2026-11-27', 'The release is on Friday.'),
      await codex.turns(user('who reviews the parser'), assistant('Mara reviews it.')),
    ];
    expect(await contentOf(codex.customId)).toBe(sent.join('\n'));
  });

  test('Claude Code: turns of one session, stand-ups that resemble each other, and notes', async () => {
    const claude = new ClaudeCode(send, 'claude losses', 'claude-losses');
    const standUp = (day: string, next: string) =>
      claude.turn(
        `2026-11-${day}T09:00:00.000Z`,
        { role: 'user', text: 'Stand-up: what did we do?' },
        { role: 'assistant:tool', text: 'Tool: Bash git log --since yesterday' },
        { role: 'assistant:tool_result', text: 'three commits' },
        { role: 'user', text: next },
        { role: 'assistant', text: 'Noted for tomorrow.' },
      );
    const sent = [
      await standUp('25', 'Next is the lexer.'),
      await standUp('26', 'Next is the printer.'),
      await claude.save('budget', '2026-11-26', 'The budget is 5'),
      await claude.save('budget', '2026-11-27', 'The budget is 50'),
      await standUp('27', 'Next is the linker.'),
    ];
    expect(await contentOf(claude.customId)).toBe(sent.join('\n'));
  });

  test('OpenClaw: stores and captures of six hours', async () => {
    const claw = new OpenClaw(send, 'claw losses', '2026-11-02');
    const sent = [
      await claw.store(6, 'Meeting on Monday at 10:00 with Mara about the budget.'),
      await claw.store(7, 'Meeting on Tuesday at 11:00 with Mara about the budget.'),
      await claw.capture(8, user('The boat is blue.'), assistant('Noted.')),
      await claw.capture(9, user('The boat is red.'), assistant('Noted.')),
      await claw.store(11, 'Budget is 5'),
      await claw.store(11, 'Budget is 50'),
    ];
    expect(await contentOf(claw.customId(MORNING))).toBe(sent.join('\n'));
  });

  test('OpenClaw: captures that overlap are stored once', async () => {
    const claw = new OpenClaw(send, 'claw windows', '2026-11-10');
    const turns = Array.from({ length: 22 }, (_, i) => (i % 2 === 0 ? user : assistant)(`This is remark ${i + 1}.`));
    await claw.capture(MORNING, ...turns.slice(0, 20));
    await claw.capture(MORNING, ...turns.slice(2));
    const content = (await contentOf(claw.customId(MORNING))) as string;
    expect(content.match(/This is remark \d+\./g)).toEqual(turns.map(({ text }) => text));
  });

  test('OpenCode: notes and summaries of one project', async () => {
    const code = new OpenCode(send, 'opencode losses');
    const sent = [
      await code.save('Form 7\nDate: 2026-11-26\nResult: passed\nBy: Mara', 'opencode-losses'),
      await code.save('Form 7\nDate: 2026-11-27\nResult: failed\nBy: Mara', 'opencode-losses'),
      await code.summary('We repaired the parser.', 'opencode-losses'),
      await code.summary('We repaired the lexer.', 'opencode-losses'),
    ];
    expect(await contentOf('opencode-losses')).toBe(sent.join('\n'));
  });

  test('Hermes: the newest turns after a switch of sessions, and the whole session at its end', async () => {
    const hermes = new Hermes(send, 'hermes losses');
    const turns = [
      ...[user('My boat is called Ottoline.'), assistant('A fine name.')],
      ...[user('She has a new mast.'), assistant('Of which wood?')],
      ...[user('Of spruce.'), assistant('Spruce is light.')],
      ...[user('Mara built it.'), assistant('She knows her trade.')],
    ];
    const expected = turns.map(({ role, text }) => `${role}: ${text}`).join('\n');
    await hermes.session('hermes-losses', ...turns.slice(0, 4));
    await hermes.session('hermes-losses', ...turns.slice(4, 6));
    await hermes.session('hermes-losses', ...turns.slice(6));
    expect(await contentOf('hermes-losses')).toBe(expected);
    await hermes.session('hermes-losses', ...turns);
    expect(await contentOf('hermes-losses')).toBe(expected);
    await hermes.session('hermes-losses', user('Now to the sails.'), assistant('Which ones?'));
    expect(await contentOf('hermes-losses')).toBe(`${expected}\nuser: Now to the sails.\nassistant: Which ones?`);
  });

  test('Hermes: notes without customId are documents of their own, and metadata that cannot be stored is named', async () => {
    const hermes = new Hermes(send, 'hermes notes');
    expect((await hermes.note('The mast is of spruce.', { topic: 'boat', year: 2026, is_sure: true })).status).toBe(
      200,
    );
    expect((await hermes.note('The mast is of spruce, 9 m.', null)).status).toBe(200);
    for (const value of [['boat', 'mast'], { of: 'boat' }, null]) {
      const refused = await hermes.note('The keel is of lead.', { topics: value });
      expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('topics') } });
    }
    const { documents } = await containers.shownIn('hermes notes');
    expect(documents.map(({ content }) => content).sort()).toEqual([
      'The mast is of spruce, 9 m.',
      'The mast is of spruce.',
    ]);
  });
});
