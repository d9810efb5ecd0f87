import { ClaudeCode } from './clients/plugins/claude-code.ts';
import { Codex } from './clients/plugins/codex.ts';
import { Hermes } from './clients/plugins/hermes.ts';
import { drawnGraph } from './clients/plugins/memory-graph.ts';
import { OpenClaw } from './clients/plugins/open-claw.ts';
import { OpenCode } from './clients/plugins/open-code.ts';
import { assistant, user } from './clients/plugins/plugin.ts';
import { MORNING, TIME, useContainers } from './clients/plugins/use-containers.ts';

/** Public plugins forget what a search showed them, and what is said again is known again. */

const containers = useContainers();
const { send } = containers;

const FACT = 'The sextant is in the wardrobe.';
const OTHER = 'The compass is in the cellar.';

const shown = (containerTag: string) => containers.shownIn(containerTag, 'sextant compass archive ship letters');

/** Texts of the results that contain a word. */
async function found(containerTag: string, word: string): Promise<readonly string[]> {
  const { memories, passages } = await shown(containerTag);
  const texts = [...memories, ...passages].map(({ content }) => content ?? '');
  return [...new Set(texts.filter((text) => text.includes(word)))];
}

describe('forgetting what a search showed', () => {
  const BOXES = Array.from({ length: 60 }, (_, i) => `Box ${i} of the archive holds the letters of ship number ${i}.`);
  /** Several passages, each of several memories. */
  const LONG = [FACT, ...BOXES].join('\n\n');
  const isOfSextants = (text: string | undefined) => text?.includes('sextant') ?? false;

  test.each(['memories', 'passages'] as const)('Codex: the exact text of one of the %s', async (kind) => {
    const tag = `codex forgets ${kind}`;
    const codex = new Codex(send, tag, `forgets-${kind}`);
    await codex.save('2026-11-27', LONG);
    await codex.turns(user(OTHER));
    const results = await shown(tag);
    const text = results[kind].find(({ content }) => isOfSextants(content))?.content as string;
    expect(results.memories.some(({ memory }) => memory === text)).toBe(kind === 'memories');
    expect(await codex.forget(text)).toMatchObject({ status: 200, body: { forgotten: true } });
    expect(await found(tag, 'sextant')).toEqual([]);
    expect(await codex.recall('Where is the sextant?')).not.toContainEqual(expect.stringContaining('sextant'));
    expect(await found(tag, 'ship number 59')).not.toEqual([]);
    expect(await found(tag, 'compass')).toEqual([OTHER]);
    const again = await codex.forget(text);
    expect(again).toMatchObject({ status: 409, body: { code: 'already_forgotten' } });
    expect(again.headers.get('x-should-retry')).toBe('false');
    expect((await codex.forget('Nobody has said this.')).status).toBe(404);
  });

  test.each(['memories', 'passages'] as const)(
    'OpenCode: DELETE /v3/documents with the id of one of its %s',
    async (kind) => {
      const tag = `opencode forgets ${kind}`;
      const code = new OpenCode(send, tag);
      await code.save(LONG);
      const id = (await shown(tag))[kind].find(({ content }) => isOfSextants(content))?.id as string;
      const answer = await code.forget(id);
      expect([answer.status, answer.body]).toEqual([204, '']);
      expect(await found(tag, 'sextant')).toEqual([]);
      expect(await found(tag, 'ship number 59')).not.toEqual([]);
      expect(await code.list()).toHaveLength(1);
      expect((await code.forget(`${id}x`)).status).toBe(404);
    },
  );

  test('OpenCode: what the search shows of a note is forgotten, whatever the result is', async () => {
    const code = new OpenCode(send, 'opencode notes');
    for (const text of [FACT, OTHER]) await code.save(text);
    await containers.processed('opencode notes');
    const [first] = await code.search('sextant wardrobe');
    expect((await code.forget(first?.id as string)).status).toBe(204);
    expect(await found('opencode notes', 'sextant')).toEqual([]);
    expect(await found('opencode notes', 'compass')).toEqual([OTHER]);
  });

  test('OpenClaw: the first result of a search', async () => {
    const claw = new OpenClaw(send, 'claw forgets', '2026-11-05');
    await claw.store(MORNING, FACT);
    await claw.capture(MORNING, user(OTHER), assistant('Noted.'));
    await containers.processed('claw forgets');
    expect(await claw.forget('sextant wardrobe')).toMatchObject({ status: 200, body: { forgotten: true } });
    expect(await found('claw forgets', 'sextant')).toEqual([]);
    expect(await found('claw forgets', 'compass')).toEqual([OTHER]);
  });

  test('Hermes: the id of a memory in the results of the profile', async () => {
    const hermes = new Hermes(send, 'hermes forgets');
    await hermes.session('forgets', user(FACT), assistant('Noted.'), user(OTHER));
    await containers.processed('hermes forgets');
    const { results } = await hermes.profile('sextant wardrobe');
    const id = results.find(({ memory }) => isOfSextants(memory))?.id;
    expect(await hermes.forget(id)).toMatchObject({ status: 200, body: { forgotten: true } });
    expect(await found('hermes forgets', 'sextant')).toEqual([]);
    expect(await found('hermes forgets', 'compass')).not.toEqual([]);
    expect((await hermes.forget(id)).status).toBe(409);
    expect((await hermes.forget('unknown')).status).toBe(404);
  });

  test('memory-graph draws what is forgotten as forgotten', async () => {
    const codex = new Codex(send, 'graph forgets', 'graph-forgets');
    await codex.turns(user(FACT), assistant(OTHER));
    await containers.processed('graph forgets');
    await codex.forget(FACT);
    const drawn = (await drawnGraph(send, 'graph forgets')).flatMap(({ memories }) => memories);
    expect(drawn.map(({ memory, isForgotten }) => [memory, isForgotten]).sort()).toEqual([
      [OTHER, false],
      [FACT, true],
    ]);
  });
});

describe('what is forgotten and said again is known again', () => {
  test.each<[string, (tag: string, text: string) => Promise<unknown>]>([
    ['Codex: a turn', (tag, text) => new Codex(send, tag, 'again').turns(user(text))],
    ['Codex: a note', (tag, text) => new Codex(send, tag, 'again').save('2026-11-27', text)],
    ['Claude Code', (tag, text) => new ClaudeCode(send, tag, 'again').turn(TIME, { role: 'user', text })],
    ['OpenClaw: a store', (tag, text) => new OpenClaw(send, tag, '2026-11-06').store(MORNING, text)],
    ['OpenClaw: a capture', (tag, text) => new OpenClaw(send, tag, '2026-11-07').capture(MORNING, user(text))],
    ['OpenCode', (tag, text) => new OpenCode(send, tag).save(text, 'again')],
  ])('%s', async (name, say) => {
    const tag = `again ${name}`;
    const forget = async () => {
      const { memories } = await shown(tag);
      const id = memories.find(({ memory }) => memory?.includes('sextant'))?.id;
      expect((await send('DELETE', '/v4/memories', { containerTag: tag, id })).status).toBe(200);
      expect(await found(tag, 'sextant')).toEqual([]);
    };
    await say(tag, FACT);
    await forget();
    // The same text again is a resend of the whole, of which nothing else is left.
    await say(tag, FACT);
    expect(await found(tag, 'sextant')).not.toEqual([]);
    await forget();
    await say(tag, OTHER);
    expect(await found(tag, 'sextant')).toEqual([]);
    await say(tag, FACT);
    expect(await found(tag, 'sextant')).not.toEqual([]);
    expect(await found(tag, 'compass')).not.toEqual([]);
  });

  test('Hermes: in the newest turns of a session, or in a whole session that has grown', async () => {
    const hermes = new Hermes(send, 'again hermes');
    const forget = async () => {
      await containers.processed('again hermes');
      const { results } = await hermes.profile('sextant wardrobe');
      const id = results.find(({ memory }) => memory?.includes('sextant'))?.id;
      expect((await hermes.forget(id)).status).toBe(200);
    };
    const knows = async () => (await found('again hermes', 'sextant')).length > 0;
    const told = [user(FACT), assistant('Noted.')];
    await hermes.session('again', ...told);
    await forget();
    await hermes.session('again', ...told);
    expect(await knows()).toBe(false);
    const newest = [user(FACT), assistant('It is noted again.')];
    await hermes.session('again', ...newest);
    expect(await knows()).toBe(true);
    await forget();
    await hermes.session('again', ...told, ...newest, user(OTHER), assistant('Thanks.'));
    expect(await knows()).toBe(false);
    await hermes.session('again', ...told, ...newest, user(OTHER), assistant('Thanks.'), user(FACT));
    expect(await knows()).toBe(true);
  });

  test('not by an assistant', async () => {
    const codex = new Codex(send, 'again by none', 'again-by-none');
    await codex.turns(user(FACT), user(OTHER));
    await containers.processed('again by none');
    await codex.forget(FACT);
    await codex.turns(assistant(FACT), user('Where is the map?'));
    expect(await found('again by none', 'sextant')).toEqual([]);
  });
});

test('a URL that is stored where texts are replaces none of them', async () => {
  const claw = new OpenClaw(send, 'claw urls', '2026-11-08');
  const sent = [
    await claw.store(MORNING, FACT),
    await claw.store(MORNING, 'http://127.0.0.1:9/boats'),
    await claw.store(MORNING, OTHER),
  ];
  const { documents } = await containers.shownIn('claw urls');
  expect(documents).toMatchObject([{ content: sent.join('\n') }]);
  expect(await found('claw urls', 'sextant')).toEqual([FACT]);
});
