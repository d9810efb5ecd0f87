import { Mneme } from './support/mneme.ts';

/** Words of many languages, over HTTP: other forms of a word are found, in containers of one language and of several. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

/** A text of each language, and a question with other forms of its words and with question words. */
const PAIRS = {
  en: ['The gardener painted the old wooden gates.', 'Who is painting a gate?'],
  de: ['Die Rechnungen liegen seit gestern im Keller.', 'Wo ist die Rechnung?'],
  fr: ['Les chevaux mangeaient du foin dans la grange.', 'Que mange le cheval ?'],
  es: ['Los vecinos compraron dos bicicletas rojas.', '¿Quién compra una bicicleta?'],
  it: ['Le biblioteche della città sono chiuse la domenica.', 'Quando è aperta la biblioteca?'],
  pt: ['Os pescadores venderam os peixes no mercado.', 'Onde está o pescador?'],
  nl: ['De vergaderingen zijn verplaatst naar donderdag.', 'Wanneer is de vergadering?'],
  ru: ['Мы весь вечер говорили с кошками.', 'Где кошка?'],
  sv: ['Flickorna är ute i skogen och plockar blåbär till kvällen.', 'Var är en flicka?'],
  tr: ['Komşular bahçede büyük kediler besliyor.', 'Kedi nerede?'],
  ar: ['قرأت الطالبة الكُتُب في المكتبة أمس', 'كتب'],
  he: ['הַיֶּלֶד קרא סיפור ארוך בערב', 'הילד'],
  zh: ['我们的数据库支持全文搜索。', '数据库'],
  ja: ['日本語の形態素解析は難しい。', '形態素解析'],
  ko: ['서울에서 친구를 만났습니다.', '서울'],
  th: ['ฉันทำงานที่กรุงเทพทุกวัน', 'กรุงเทพ'],
} as const;
type Language = keyof typeof PAIRS;
const LANGUAGES = Object.keys(PAIRS) as Language[];

async function memoriesFor(q: string, containerTag: string, options: object = {}): Promise<readonly string[]> {
  const { status, body } = await mneme.post<{ results: readonly { memory: string }[] }>('/v4/search', {
    ...{ q, containerTag, threshold: 0, limit: 5 },
    ...options,
  });
  expect(status).toBe(200);
  return body.results.map(({ memory }) => memory);
}

const addTo = async (containerTag: string, texts: readonly string[]): Promise<string[]> => {
  const ids = await Promise.all(texts.map((text) => mneme.add(text, { containerTag })));
  for (const id of ids) expect(await mneme.settled(id)).toMatchObject({ status: 'done' });
  return ids;
};

test('a document has its language, and other forms of its words are found in a container of this language', async () => {
  await Promise.all(
    LANGUAGES.map(async (language) => {
      const [text, question] = PAIRS[language];
      const [id] = await addTo(language, [text, '4711']);
      expect((await mneme.get(`/v3/documents/${id}`)).body.language).toBe(language);
      expect([language, (await memoriesFor(question, language))[0]]).toEqual([language, text]);
    }),
  );
});

test('in a container of all languages each question finds its own text first', async () => {
  await addTo(
    'all',
    LANGUAGES.map((language) => PAIRS[language][0]),
  );
  for (const language of LANGUAGES) {
    const [text, question] = PAIRS[language];
    expect([language, (await memoriesFor(question, 'all'))[0]]).toEqual([language, text]);
  }
});

test('the languages of a container follow additions and deletions', async () => {
  await addTo('changing', ['The gates were painted in the spring, and they are green.']);
  expect(await memoriesFor('Rechnung', 'changing')).toEqual([]);
  const [id] = await addTo('changing', [PAIRS.de[0]]);
  expect(await memoriesFor('Rechnung', 'changing')).toEqual([PAIRS.de[0]]);
  expect(await memoriesFor('Rechung', 'changing', { rewriteQuery: true })).toEqual([PAIRS.de[0]]);
  await mneme.request('DELETE', `/v3/documents/${id}`);
  expect(await memoriesFor('Rechnung', 'changing')).toEqual([]);
  expect(await memoriesFor('painting a gate', 'changing')).toHaveLength(1);
});

test('another language after an update is searched with its own forms', async () => {
  const [id] = await addTo('updated', [PAIRS.de[0]]);
  await mneme.request('PATCH', `/v3/documents/${id}`, { content: PAIRS.fr[0] });
  await mneme.settled(id as string);
  expect(await memoriesFor('Rechnung', 'updated')).toEqual([]);
  expect(await memoriesFor('cheval', 'updated')).toEqual([PAIRS.fr[0]]);
});

test.each([
  ['20 characters', 'Reboot ERR_4711 FW-1', 'ERR_4711'],
  ['code', 'const total = items.map((item) => item.price).reduce((a, b) => a + b, 0);', 'items price'],
  [
    'encoded data',
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'M9QDwADhgGAWjR9awAAAABJRU5ErkJggg',
  ],
  ['a language that nothing knows', 'nuqneH tlhIngan maH taH pagh taHbe mojaq', 'tlhIngan pagh'],
  [
    'four languages',
    [PAIRS.de[0], PAIRS.fr[0], PAIRS.ru[0], PAIRS.en[0]].join('\n\n'),
    'Rechnungen chevaux кошками painted',
  ],
])('%s: every word is found as it is written', async (what, text, question) => {
  await addTo(what, [text]);
  await addTo('bad input', [text]);
  for (const word of question.split(' ')) {
    expect((await memoriesFor(word, what))[0]).toContain(word);
    expect((await memoriesFor(word, 'bad input'))[0]).toContain(word);
  }
});
