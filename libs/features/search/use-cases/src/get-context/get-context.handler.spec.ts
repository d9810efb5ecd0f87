import type { QueryBus } from '@nestjs/cqrs';
import type { OrganizationId, TagSelection } from '#platform/kernel';
import { TokenCounters } from '#platform/tokens';
import type { UnitSet } from '#read-side/views';
import { row, unitSet } from '../../../../../read-side/views/src/testing.ts';
import { ORGANIZATION, openUseCases, principalOf, type UseCases } from '../../../../documents/use-cases/src/testing.ts';
import { ProfileMemories } from '../get-profile/profile-memories.ts';
import { searchHandlers } from '../search-handlers.fixture.ts';
import type { SearchMemories } from '../search-memories/search-memories.query.ts';
import { GetContextHandler } from './get-context.handler.ts';
import { GetContext } from './get-context.query.ts';

let useCases: UseCases;
let handler: GetContextHandler;
const counters = new TokenCounters(console);
beforeAll(async () => {
  useCases = await openUseCases();
  const { currentViews, pastMemories, clock } = useCases;
  const searches = searchHandlers(useCases).memories;
  const queries = { execute: (search: SearchMemories) => searches.execute(search) } as Partial<QueryBus> as QueryBus;
  handler = new GetContextHandler(queries, new ProfileMemories(currentViews, pastMemories, clock), counters);
  await useCases.show(
    [
      row(ORGANIZATION, { id: 'minutes', tags: ['a'], title: 'Minutes\n# Memories', documentDate: '2025-03-05' }),
      unitSet('Ann moves the crane.', 'The crane\n\n# Lasting facts\n- is red.'),
    ],
    [
      row(ORGANIZATION, { id: 'letter', tags: ['a'], title: null, documentDate: '2024-03-05T10:00:00Z' }),
      withIds('A', unitSet('The crane was blue.')),
    ],
    [
      row(ORGANIZATION, { id: 'copy', tags: ['a'], documentDate: '2024-03-06' }),
      withIds('B', unitSet('the crane was blue')),
    ],
    [row(ORGANIZATION, { id: 'project', tags: ['sm_project_default'] }), unitSet('The crane of the project.')],
    [row(ORGANIZATION, { id: 'giant', tags: ['long'] }), unitSet(`Harbour ${'crane 漢字 👩‍🌾 '.repeat(900)}`)],
    [row('organization-b' as OrganizationId, { tags: ['a'] }), unitSet('The crane of others.')],
  );
});
afterAll(async () => {
  await counters.close();
  await useCases.close();
});

/** Of equal memories the one with the first id is found first. */
function withIds(start: string, set: UnitSet): UnitSet {
  return { ...set, units: set.units.map((unit, i) => ({ ...unit, id: `${start}${i}` })) };
}

const DEFAULTS: GetContext['options'] = {
  ...{ question: 'crane', maxTokens: 2_000, tokenizer: 'o200k', includeProfile: false, includeRecent: false },
  ...{ threshold: 0, asOf: null },
};

const contextOf = (tags: TagSelection, named: readonly string[], options: Partial<GetContext['options']> = {}) =>
  handler.execute(new GetContext(principalOf(tags), named, { ...DEFAULTS, ...options }));

test('memories stand by date, document and place, under date and source, each once and on one line', async () => {
  const { text, tokens, memories, profile } = await contextOf('all', ['a']);
  expect(text.split('\n')).toEqual([
    '# Memories',
    '2024-03-05, letter',
    '- The crane was blue.',
    '2025-03-05, Minutes # Memories',
    '- Ann moves the crane.',
    '- The crane # Lasting facts - is red.',
  ]);
  expect(await counters.of('o200k')([text])).toEqual([tokens]);
  expect(memories).toEqual([
    expect.objectContaining({ text: 'The crane was blue.', date: '2024-03-05T10:00:00Z', source: 'letter' }),
    expect.objectContaining({ text: 'Ann moves the crane.', date: '2025-03-05', source: 'Minutes # Memories' }),
    expect.objectContaining({ text: 'The crane # Lasting facts - is red.', similarity: expect.any(Number) }),
  ]);
  expect(profile).toBeNull();
});

test('what the profile says is not repeated among the memories', async () => {
  const { text, memories, profile } = await contextOf('all', ['a'], { includeProfile: true, includeRecent: true });
  expect(text).toMatch(/^# Recent activity\n/);
  expect(profile?.dynamic).toHaveLength(3);
  expect(memories).toEqual([]);
});

test('without a question there are profile and recent activity alone', async () => {
  const all = await contextOf('all', ['a'], { question: null, includeRecent: true });
  expect(all.profile?.dynamic).toHaveLength(3);
  expect(all.memories).toEqual([]);
  expect(await contextOf('all', ['a'], { question: null })).toEqual({
    ...{ text: '', tokens: 0, tokenizer: 'o200k', memories: [], profile: null },
  });
});

test('a request without a tag is about the default tag, or about the tags of a key with limited tags', async () => {
  expect((await contextOf('all', [])).memories.map(({ text }) => text)).toEqual(['The crane of the project.']);
  expect((await contextOf(['a', 'x'], [])).memories).toHaveLength(3);
  await expect(contextOf(['x'], ['a'])).rejects.toMatchObject({ code: 'forbidden' });
});

test.each(['o200k', 'estimate'] as const)(
  'of a memory that is too long by itself there is the beginning (%s)',
  async (tokenizer) => {
    for (const maxTokens of [100, 101, 173, 720]) {
      const { text, tokens } = await contextOf('all', ['long'], { maxTokens, tokenizer });
      expect(text).toMatch(/^# Memories\n.*\n- Harbour crane .*…$/u);
      expect(text.isWellFormed()).toBe(true);
      expect(await counters.of(tokenizer)([text])).toEqual([tokens]);
      expect(tokens).toBeLessThanOrEqual(maxTokens);
      expect(tokens).toBeGreaterThan(maxTokens - 20);
    }
  },
);

test('less room than the headings need gives nothing', async () => {
  expect(await contextOf('all', ['a'], { maxTokens: 5 })).toMatchObject({ text: '', tokens: 0, memories: [] });
});

test('what does not fit is left out, and shorter ones take its place', async () => {
  const { text, tokens, memories } = await contextOf('all', ['a', 'long'], { maxTokens: 100 });
  expect(memories.map((memory) => memory.text)).toContain('Ann moves the crane.');
  expect(text).not.toContain('Harbour');
  expect(tokens).toBeLessThanOrEqual(100);
});
