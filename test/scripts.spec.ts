import { Mneme } from './support/mneme.ts';

/** Titles, summaries and search results of texts in other scripts, and of texts that are no prose. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Result {
  readonly memory?: string;
  readonly chunk?: string;
  readonly title?: string;
  readonly isAggregated?: boolean;
  readonly explain: { readonly coverage: number } | null;
}

const EVERYTHING = {
  ...{ searchMode: 'hybrid', threshold: 0, aggregate: true, explain: true },
  include: { documents: true, summaries: true, relatedMemories: true, chunks: true },
};

async function search(containerTag: string, q: string): Promise<readonly Result[]> {
  const { status, body } = await mneme.post<{ results: readonly Result[] }>('/v4/search', {
    ...{ containerTag, q },
    ...EVERYTHING,
  });
  expect(status).toBe(200);
  return body.results;
}

const recordOf = async (id: string) =>
  (await mneme.get<{ title: string | null; summary: string | null; content: string }>(`/v3/documents/${id}`)).body;

const lengthOf = (text: string | null) => [...(text ?? '')].length;

/** A long sentence whose title has to be cut, another one, and a word of both. */
const SCRIPTS: Readonly<Record<string, readonly [first: string, second: string, word: string]>> = {
  Arabic: [
    'قرأت الطالبة المجتهدة الكتاب القديم في المكتبة الكبيرة قرب النهر ثم كتبت رسالة طويلة إلى صديقتها التي تسكن في مدينة بعيدة.',
    'ضاع الكتاب أمس.',
    'الكتاب',
  ],
  Hebrew: [
    'הילד הקטן קרא סיפור ארוך על ספינה ישנה שהפליגה בלילה מהנמל הגדול אל האי הרחוק שבו גרים דייגים זקנים ומספרים אגדות.',
    'הספר על ספינה אבד.',
    'ספינה',
  ],
  Chinese: [
    `${'我们的数据库支持全文搜索，每天晚上自动备份所有文件，并且把结果发送给负责系统维护的工程师'.repeat(3)}。`,
    '数据库很慢。',
    '数据库',
  ],
  Japanese: [
    `${'全文検索のデータベースは毎晩すべての書類を自動で保存し、結果を担当の技術者に知らせます'.repeat(3)}。`,
    'データベースは遅い。',
    'データベース',
  ],
  Thai: [
    'ฉันทำงานที่กรุงเทพทุกวันและเดินทางด้วยรถไฟฟ้าจากบ้านไปยังสำนักงานของบริษัทขนาดใหญ่ที่อยู่ใกล้แม่น้ำเจ้าพระยาซึ่งสวยงามมาก',
    'กรุงเทพร้อนมาก',
    'กรุงเทพ',
  ],
};

/** Whether a text ends where a word ends, as the dictionaries of ICU tell them apart. */
function endsAtWord(text: string, beginning: string): boolean {
  expect(text.startsWith(beginning)).toBe(true);
  const next = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text).containing(beginning.length);
  return next === undefined || next.index === beginning.length;
}

test.each(Object.entries(SCRIPTS))(
  '%s: titles end at a word, words are found, results are joined',
  async (name, texts) => {
    const [first, second, word] = texts;
    const long = await mneme.addAndWait(first, { containerTag: name });
    await mneme.addAndWait(second, { containerTag: name });

    const { title, content } = await recordOf(long);
    expect(content).toBe(first);
    expect(title).toMatch(/…$/);
    expect(title?.length).toBeGreaterThan(50);
    expect(title?.length).toBeLessThanOrEqual(100);
    expect(endsAtWord(first, (title ?? '').slice(0, -1))).toBe(true);

    const results = await search(name, word);
    const hits = results.filter(({ isAggregated }) => !isAggregated);
    const holding = hits.filter(({ memory, chunk }) => (memory ?? chunk)?.includes(word));
    expect(holding.map(({ memory, chunk }) => memory ?? chunk)).toContain(second);
    expect(holding.length).toBeGreaterThan(1);
    for (const { explain } of holding) expect(explain?.coverage).toBeGreaterThan(0);
    expect(hits.length).toBeLessThan(results.length);
  },
);

test.each(['Arabic', 'Hebrew', 'Chinese', 'Japanese'])(
  '%s: a summary is in the script of its document',
  async (name) => {
    const [first = '', second = ''] = SCRIPTS[name] ?? [];
    const id = await mneme.addAndWait(`${first}\n\n${second}\n\n`.repeat(12), { containerTag: `${name} summary` });
    const { summary } = await recordOf(id);
    expect(lengthOf(summary)).toBeGreaterThan(0);
    expect(lengthOf(summary)).toBeLessThanOrEqual(400);
    expect(summary).toContain(second);
  },
);

const BASE64 = Buffer.from(Array.from({ length: 900 }, (_, i) => (i * 7919) % 256)).toString('base64');

test.each([
  ['20 characters', 'Reboot ERR_4711 FW-1', 'ERR_4711'],
  ['code', 'const total = items.map((item) => item.price).reduce((a, b) => a + b, 0);\n'.repeat(40), 'reduce'],
  ['base64', BASE64, BASE64.slice(0, 40)],
  ['a language that no library knows', 'nuqneH tlhIngan maH taH pagh taHbe mojaq. yIDoghQo tlhIngan.', 'tlhIngan'],
  [
    'four languages',
    [
      'The gardener painted the old wooden gates.',
      'Die Rechnungen liegen seit gestern im Keller.',
      'قرأت الطالبة الكتاب في المكتبة.',
      '我们的数据库支持全文搜索。',
    ].join('\n\n'),
    'Rechnungen',
  ],
])(
  '%s: the document is done, has a title and a summary within their limits, and every option answers',
  async (name, content, q) => {
    const id = await mneme.addAndWait(content, { containerTag: name });
    const record = await recordOf(id);
    expect(record.content).toBe(content);
    expect(lengthOf(record.title)).toBeGreaterThan(0);
    expect(record.title?.length).toBeLessThanOrEqual(100);
    expect(lengthOf(record.summary)).toBeLessThanOrEqual(400);
    const results = await search(name, q);
    if (name !== 'base64') expect(results.length).toBeGreaterThan(0);
    for (const { isAggregated, memory, chunk } of results) {
      if (isAggregated) expect(lengthOf(memory ?? chunk ?? null)).toBeLessThanOrEqual(1000);
    }
  },
);
