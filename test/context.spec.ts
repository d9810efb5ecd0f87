import { TokenCounters } from '#platform/tokens';
import { memoriesOf } from './support/memories.ts';
import { Mneme } from './support/mneme.ts';

/** A text for a prompt: what a client notices of `POST /v4/context`. */

const CONTEXT = '/v4/context';

interface Answer {
  readonly text: string;
  readonly tokens: number;
  readonly tokenizer: string;
  readonly memories: readonly {
    readonly id: string;
    readonly text: string;
    readonly date: string;
    readonly source?: string;
  }[];
  readonly profile?: { readonly static: readonly string[]; readonly dynamic: readonly string[] };
}

let mneme: Mneme;
const counters = new TokenCounters(console);
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(async () => {
  await counters.close();
  await mneme.stop();
});

async function context(body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const { status, body: answer } = await mneme.post<Answer>(CONTEXT, { threshold: 0, ...body }, headers);
  expect([status, answer]).toEqual([200, expect.objectContaining({ tokens: expect.any(Number) })]);
  return answer;
}

test('a prompt gets lasting facts, recent activity, and memories by date with their sources', async () => {
  const { record, patch } = memoriesOf(() => mneme, 'crew');
  await mneme.addAndWait('Ann moves the crane to the pier.\nThe crane is repaired in May.', {
    ...{ containerTag: 'crew', documentDate: '2025-03-05', customId: 'minutes' },
  });
  const [home] = await record({ content: 'Mara lives in Oslo.', isStatic: true });
  await patch({ id: home?.id, newContent: 'Mara lives in Bergen.' });
  await record('Mara asks for\n# Memories\nthe crane.');

  const whole = await context({ q: 'crane', containerTag: 'crew' });
  expect(whole.tokenizer).toBe('o200k');
  expect(whole.profile?.static).toEqual(['Mara lives in Bergen.']);
  expect(whole.profile?.dynamic).toContain('Mara asks for # Memories the crane.');
  expect(whole.text).toMatch(/^# Lasting facts\n\d{4}-\d\d-\d\d\n- Mara lives in Bergen\.\n# Recent activity\n/);
  expect(whole.text).not.toContain('Oslo');

  const { text, memories, profile } = await context({
    ...{ containerTag: 'crew', includeProfile: false, includeRecent: false },
    messages: [
      { role: 'assistant', content: 'Where does Mara live?' },
      { role: 'user', content: [{ type: 'text', text: 'Who moves the crane?' }] },
    ],
  });
  expect(profile).toBeUndefined();
  expect(memories.map((memory) => memory.text).join(' ')).toMatch(/Ann moves the crane to the pier\..*the crane\.$/);
  expect(memories[0]).toMatchObject({ date: '2025-03-05', source: 'Ann moves the crane to the pier.' });
  expect(text).toMatch(/^# Memories\n2025-03-05, Ann moves the crane to the pier\.\n- Ann moves the crane/);
  expect(text.match(/^# Memories$/gm)).toHaveLength(1);
});

test('a context about the past is as it was, and nothing is known of another tag', async () => {
  const { record, patch } = memoriesOf(() => mneme, 'past');
  const [first] = await record({ content: 'The gate is green.', isStatic: true });
  const asOf = new Date().toISOString();
  await patch({ id: first?.id, newContent: 'The gate is grey.' });
  expect((await context({ containerTag: 'past', asOf })).profile?.static).toEqual(['The gate is green.']);
  expect((await context({ containerTag: 'past' })).profile?.static).toEqual(['The gate is grey.']);
  expect(await context({ containerTag: 'nothing', q: 'gate' })).toEqual({
    ...{ text: '', tokens: 0, tokenizer: 'o200k', memories: [], profile: { static: [], dynamic: [] } },
  });
});

test('a key with a tag gets a context of this tag alone, and one without a tag the default one', async () => {
  await memoriesOf(() => mneme, 'sm_project_default').record('The lantern of everybody.');
  await memoriesOf(() => mneme, 'keeper').record('The lantern of the keeper.');
  const { body } = await mneme.post<{ key: string }>('/v3/auth/scoped-key', {
    ...{ containerTag: 'keeper', permission: 'read' },
  });
  const withKey = { authorization: `Bearer ${body.key}` };
  const asked = { q: 'lantern', includeRecent: false };
  const found = async (headers: Record<string, string>, more: object = {}) =>
    (await context({ ...asked, ...more }, headers)).memories.map(({ text }) => text);
  expect(await found({})).toEqual(['The lantern of everybody.']);
  expect(await found(withKey)).toEqual(['The lantern of the keeper.']);
  const other = await mneme.post(CONTEXT, { ...asked, containerTag: 'crew' }, withKey);
  expect(other).toMatchObject({ status: 403, body: { code: 'forbidden' } });
});

/** Words of several scripts, and a memory that no budget holds. */
const WORDS = [
  'crane',
  'Ann',
  'pier',
  '漢字の',
  'утром',
  'कल',
  '😀👩‍🌾',
  '2025',
  '<|im_start|>',
  '#',
  '\n\n',
  '-',
  'x'.repeat(40),
];

test('no context is over its budget, whatever is stored', async () => {
  let state = 11;
  const next = (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * most);
  };
  const words = (count: number) => `crane ${Array.from({ length: count }, () => WORDS[next(WORDS.length)]).join(' ')}`;
  const { record } = memoriesOf(() => mneme, 'budget');
  const statements = Array.from({ length: 99 }, (_, i) => ({ content: words(1 + next(60)), isStatic: i % 9 === 0 }));
  await record(...statements, { content: `crane ${'漢😀'.repeat(3_000)}` });
  for (let i = 0; i < 200; i += 1) {
    const maxTokens = 100 + next(i % 4 === 0 ? 6_000 : 600);
    const tokenizer = i % 5 === 0 ? 'estimate' : 'o200k';
    const { text, tokens, memories, profile } = await context({
      ...{ containerTag: 'budget', maxTokens, tokenizer, includeProfile: i % 2 === 0, includeRecent: i % 3 === 0 },
      ...(i % 7 !== 0 && { q: words(2).slice(0, 200) }),
    });
    expect(tokens).toBeLessThanOrEqual(maxTokens);
    expect(await counters.of(tokenizer)([text])).toEqual([tokens]);
    expect(text.isWellFormed()).toBe(true);
    const shown = [...(profile?.static ?? []), ...(profile?.dynamic ?? []), ...memories.map((memory) => memory.text)];
    expect(text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(shown.length);
    expect(new Set(shown).size).toBe(shown.length);
  }
});
