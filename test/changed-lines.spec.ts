import { type Live, unitsOf } from '#documents';
import { systemCause } from '#event-store';
import { ok, systemScope } from '#kernel';
import { ORGANIZATION, openPipeline, type Pipeline, READY, TestEmbedder } from './support/pipeline.ts';

const SCOPE = systemScope(ORGANIZATION);
const LINES = 5_000;

let embedder: TestEmbedder;
let pipeline: Pipeline;
beforeEach(async () => {
  embedder = new TestEmbedder();
  pipeline = await openPipeline({ embedder });
  embedder.become(READY);
});
afterEach(() => pipeline.close());

const PEOPLE = ['Maren', 'Ruben', 'The ferryman', 'Her uncle', 'Nobody', 'The old baker', 'Every second guest'];
const VERBS = ['counted', 'painted', 'lost', 'repaired', 'described', 'hid behind', 'wrote about', 'sold', 'weighed'];
const THINGS = ['the kettle', 'three herons', 'a broken fence', 'the blue boat', 'all of the nets', 'his letters'];
const PLACES = ['at the pier', 'in the garden', 'before dawn', 'on the eastern bank', 'without a word'];

/** Lines of different lengths, no two equal. */
function lineOf(number: number): string {
  const pick = (words: readonly string[], step: number): string =>
    words[Math.floor(number / step) % words.length] as string;
  const end = number % 3 === 0 ? `, and ${pick(PEOPLE, 11)} ${pick(VERBS, 2)} ${pick(THINGS, 5)} too` : '';
  return `${pick(PEOPLE, 1)} ${pick(VERBS, 7)} ${pick(THINGS, 3)} ${pick(PLACES, 13)} on day ${number}${end}.`;
}

const ids = async (id: string): Promise<ReadonlySet<string>> => {
  const document = (await pipeline.documents.load(SCOPE, id)) as Live;
  return new Set((await unitsOf(document, pipeline.texts)).map((unit) => unit.id));
};

describe.each([
  ['without blank lines', '\n'],
  ['as paragraphs', '\n\n'],
])('a document of 5,000 lines %s', (_, separator) => {
  test('is embedded again only near a change, and other passages keep their ids', async () => {
    const first = Array.from({ length: LINES }, (_, i) => lineOf(i));
    const id = await pipeline.add(first.join(separator));
    await pipeline.event(id, 'DocumentIndexed');
    const total = embedder.embedded;
    expect(total).toBeGreaterThan(LINES / 2);

    const middle = LINES / 2;
    const appended = [...first, lineOf(9_001)];
    const inserted = [lineOf(9_002), ...appended];
    const replaced = inserted.with(middle, lineOf(9_003));
    const deleted = replaced.toSpliced(middle + 100, 1);
    const embedded: number[] = [];
    for (const [i, lines] of [appended, inserted, replaced, deleted].entries()) {
      const before = await ids(id);
      const count = embedder.embedded;
      await replace(id, lines.join(separator), i + 2);
      embedded.push(embedder.embedded - count);
      const after = await ids(id);
      expect([...before].filter((unit) => !after.has(unit)).length).toBeLessThanOrEqual(15);
    }
    expect(embedded[0]).toBeLessThanOrEqual(6);
    for (const count of embedded) expect(count).toBeLessThanOrEqual(30);
  });
});

async function replace(id: string, text: string, contentVersion: number): Promise<void> {
  const content = { text: await pipeline.texts.store(ORGANIZATION, id, text) };
  await pipeline.documents.change(SCOPE, id, systemCause(), () =>
    ok([{ type: 'ContentReplaced', contentVersion, payload: { content } }]),
  );
  await pipeline.event(id, 'DocumentIndexed', contentVersion);
}
