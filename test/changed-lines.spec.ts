import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentDeletion, Erasure, type Live } from '#features/documents';
import { Admission, IdempotencyKeys } from '#features/documents/requests';
import { AddDocument } from '#features/documents/use-cases';
import { DEFAULT_GROUP, embedDocument, GroupEmbedder, SpaceEmbedders } from '#features/vector-spaces';
import { type Principal, systemClock } from '#platform/kernel';
import { SqliteVectorStore } from '#ports/vector-store';
import { extractDocument, identitiesOf, newUnitKey, type Passage, unitIdsWith } from '#processing/extraction';
import { CurrentViews, type Unit, type UnitKind } from '#read-side/views';
import { AddDocumentHandler } from '../libs/features/documents/use-cases/src/add-document/add-document.handler.ts';
import { DraftedAdds } from '../libs/features/documents/use-cases/src/add-document/drafted-adds.ts';
import { RecentAdds } from '../libs/features/documents/use-cases/src/add-document/recent-adds.ts';
import { SaidAgain } from '../libs/features/documents/use-cases/src/add-document/said-again.ts';
import { StoredContents } from '../libs/features/documents/use-cases/src/add-document/stored-contents.ts';
import { JointRecorder } from '../libs/features/documents/use-cases/src/joint-recorder.ts';
import { NO_QUOTAS } from '../libs/features/documents/use-cases/src/testing.ts';
import { ORGANIZATION, openPipeline, type Pipeline, READY, TestEmbedder } from './support/pipeline.ts';

const LINES = 2_000;
const OWNER: Principal = {
  ...{ organization: ORGANIZATION, keyId: 'k', role: 'owner', tags: 'all', writableTags: 'all' },
};

let folder: string;
let vectors: SqliteVectorStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-changed-lines-'));
  vectors = await SqliteVectorStore.open(join(folder, 'vectors.db'));
});
afterEach(async () => {
  await vectors.close();
  await rm(folder, { recursive: true });
});

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

/** Passages of a text with the ids that the document's key gives them. */
async function unitsOf(text: string, idOf: (identity: string) => string): Promise<Unit[]> {
  const { chunks, memories } = await extractDocument({ body: text, kind: 'text', fileName: null, documentDate: null });
  const unitsOfKind = (kind: UnitKind, passages: readonly Passage[]): Unit[] => {
    const texts = passages.map(({ start, end }) => text.slice(start, end));
    const ids = Array.from(identitiesOf(kind, texts), idOf);
    return texts.map((own, ordinal) => ({ id: ids[ordinal] as string, kind, ordinal, text: own, speaker: null }));
  };
  return [...unitsOfKind('chunk', chunks), ...unitsOfKind('memory', memories)];
}

/** Texts that are embedded at the most: for a line at the end, and for one elsewhere. */
const FORMER_LIMITS = { appended: 6, changed: 30 };
/** Windows of texts. */
const LIMITS = { appended: 6, changed: 20 };

test.each([
  ['without blank lines', '\n', 'test.1.384', FORMER_LIMITS],
  ['as paragraphs', '\n\n', 'test.1.384', FORMER_LIMITS],
  ['without blank lines, in windows', '\n', 'test.2.384', LIMITS],
  ['as paragraphs, in windows', '\n\n', 'test.2.384', LIMITS],
])(
  '2,000 lines %s are embedded again only near a change, and other passages keep their ids',
  async (...[, separator, space, limits]) => {
    const embedder = new TestEmbedder();
    const group = new GroupEmbedder(DEFAULT_GROUP, () => embedder, space);
    embedder.become({ state: 'ready', space: { name: space, dimensions: 384 } });
    const embedders = new SpaceEmbedders([group]);
    const idOf = unitIdsWith(newUnitKey());
    let contentVersion = 0;
    let ids = new Set<string>();
    const embeddedSoFar = () => embedder.embedded + embedder.windows;
    /** Makes this the text of the document. Returns how many texts or windows were embedded, and how many ids are gone. */
    const write = async (lines: readonly string[]) => {
      const units = await unitsOf(lines.join(separator), idOf);
      const before = { ids, embedded: embeddedSoFar() };
      contentVersion += 1;
      const document = {
        organization: 'org',
        id: 'doc',
        unitsDate: '2026-05-08',
        contentVersion,
        memory: null,
      } as Live;
      await embedDocument({ embedders, vectors, isPresent: async () => true, embedded: () => {} }, document, units);
      ids = new Set(units.map(({ id }) => id));
      const gone = [...before.ids].filter((id) => !ids.has(id)).length;
      return { embedded: embeddedSoFar() - before.embedded, gone };
    };

    const first = Array.from({ length: LINES }, (_, i) => lineOf(i));
    expect((await write(first)).embedded).toBeGreaterThan(LINES / 10);

    const middle = LINES / 2;
    const appended = [...first, lineOf(9_001)];
    expect((await write(appended)).embedded).toBeLessThanOrEqual(limits.appended);
    const inserted = [lineOf(9_002), ...appended];
    const replaced = inserted.with(middle, lineOf(9_003));
    const deleted = replaced.toSpliced(middle + 100, 1);
    for (const lines of [inserted, replaced, deleted]) {
      const { embedded, gone } = await write(lines);
      expect(embedded).toBeLessThanOrEqual(limits.changed);
      expect(gone).toBeLessThanOrEqual(15);
    }
  },
);

/** The add of a server, on a pipeline. */
function addsTo({ documents, texts, blobs, vectors: cache, reader, progress, store }: Pipeline): AddDocumentHandler {
  const views = new CurrentViews(reader, progress, store);
  const saidAgain = new SaidAgain(documents, texts, views, systemClock);
  const drafts = new DraftedAdds(documents, texts, new StoredContents(texts, blobs), saidAgain, systemClock);
  const erasure = new Erasure(blobs, cache);
  const recorder = new JointRecorder(documents, new DocumentDeletion(documents), erasure);
  const recent = new RecentAdds(documents, views, systemClock);
  const keys = new IdempotencyKeys(documents, systemClock);
  const admission = new Admission({ full: () => false }, { assertWritable: () => {} }, NO_QUOTAS);
  return new AddDocumentHandler(documents, drafts, recorder, erasure, recent, keys, admission);
}

test('a text that is sent again with its customId is embedded only where it has changed', async () => {
  const embedder = new TestEmbedder();
  embedder.become(READY);
  const pipeline = await openPipeline({ embedder });
  try {
    const adds = addsTo(pipeline);
    const details = { customId: 'lines', tags: ['t'], metadata: null, filepath: null, documentDate: null };
    let versions = 0;
    /** Adds this text and waits until it is found. Returns how many texts were embedded. */
    const send = async (lines: readonly string[]) => {
      const document = { ...details, taskType: 'memory', content: lines.join('\n') } as const;
      const before = embedder.embedded;
      const added = await adds.execute(new AddDocument(OWNER, document, null, false));
      if (!added.ok) throw new Error(`refused: ${added.error}`);
      if (added.value.status !== 'done') versions += 1;
      await pipeline.event(added.value.id, 'DocumentIndexed', versions);
      return embedder.embedded - before;
    };
    const first = Array.from({ length: 400 }, (_, i) => lineOf(i));
    expect(await send(first)).toBeGreaterThan(200);
    expect(await send(first)).toBe(0);
    const appended = [...first, lineOf(9_001)];
    expect(await send(appended)).toBeLessThanOrEqual(6);
    const inserted = [lineOf(9_002), ...appended];
    for (const lines of [inserted, inserted.with(200, lineOf(9_003)), inserted.toSpliced(300, 1)]) {
      expect(await send(lines)).toBeLessThanOrEqual(30);
    }
    expect(versions).toBe(5);
  } finally {
    await pipeline.close();
  }
});
