import { openStorage } from '#composition/runtime';
import {
  type DocumentEvent,
  DocumentRepository,
  type DocumentState,
  DocumentTexts,
  decideChunked,
  decideEmbedded,
  decideExtracted,
  decideIndexed,
  decideStart,
  documentStream,
  type Outdated,
  unitsOf,
} from '#features/documents';
import { quantize } from '#features/search';
import { DEFAULT_GROUP } from '#features/vector-spaces';
import { embeddedTexts } from '#features/vector-spaces/model';
import { contentHash, newId, type OrganizationId, type Result, systemClock, systemScope } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import { createCommandHandler, createFoldCache, type EventStore, systemCause } from '#ports/event-store';
import type { VectorStore } from '#ports/vector-store';
import { extractDocument, newUnitKey } from '#processing/extraction';
import { decideAdd } from '../../../libs/features/documents/use-cases/src/add-document/decide.ts';
import { seededRandom, unitVector } from './random.ts';
import { sentence } from './texts.ts';

export interface WrittenLog {
  readonly organization: OrganizationId;
  readonly documents: number;
  readonly events: number;
  /** Chunks and memories. */
  readonly units: number;
  readonly space: string;
}

/** The default space of the views. */
const SPACE = DEFAULT_GROUP.initialSpace;
const DIMENSIONS = 384;
const TAGS = 8;
/** Documents chunked in one batch, as when adds arrive faster than they are processed. */
const CUT_TOGETHER = 512;
/** Documents embedded in one batch, as in the pipeline. */
const EMBEDDED_TOGETHER = 16;
/** Size of the fold cache in characters: 50,000 documents. */
const FOLDED_CHARACTERS = 50_000_000;

type Decide = (state: DocumentState) => Result<readonly DocumentEvent[], Outdated>;

/** Writes the events of `writeEvents` to the embedded log of a data folder, for a new organization. */
export async function writeLog(
  folder: string,
  documents: number,
  progress: (text: string) => void,
): Promise<WrittenLog> {
  const embedded = { eventStoreUrl: null, natsUrl: null, openSearchUrl: null };
  const storage = await openStorage({ ...embedded, dataFolder: folder, cacheBytes: 0, prefix: 'mneme' }, console.error);
  try {
    return await writeEvents(storage, documents, progress, newId() as OrganizationId);
  } finally {
    await storage.close();
  }
}

/**
 * Writes the events of a bulk import: all documents are added and chunked before the model starts, then embedded and
 * indexed in sequence. Uses the commands of the domain; the vectors are seeded random ones in the cache.
 */
export async function writeEvents(
  { store, blobs, vectors }: { readonly store: EventStore; readonly blobs: BlobStore; readonly vectors: VectorStore },
  documents: number,
  progress: (text: string) => void,
  organization: OrganizationId,
): Promise<WrittenLog> {
  const texts = new DocumentTexts(blobs);
  const cache = createFoldCache({ characters: FOLDED_CHARACTERS });
  const repository = new DocumentRepository(createCommandHandler({ store, clock: systemClock, cache }));
  let events = 0;
  let units = 0;

  async function add(number: number): Promise<string> {
    const id = newId();
    const text = sentence(number);
    const decided = decideAdd({
      id,
      customId: null,
      content: { text: await texts.store(organization, id, text) },
      type: 'text',
      source: 'api',
      url: null,
      metadata: null,
      filepath: null,
      taskType: 'memory',
      documentDate: null,
      sent: contentHash(id).slice(0, 16),
      sizes: { characters: text.length },
    });
    await repository.create(systemScope(organization), id, systemCause(), decided, [`tag-${number % TAGS}`]);
    events += decided.length;
    return id;
  }

  async function change(id: string, decide: Decide): Promise<DocumentState> {
    const changed = await repository.change(systemScope(organization), id, systemCause(), (state) => {
      const decided = decide(state);
      if (decided.ok) events += decided.value.length;
      return decided;
    });
    if (!changed.ok) throw new Error(`${id} is ${changed.error}`);
    return changed.value.state;
  }

  async function cutUp(id: string, number: number): Promise<void> {
    const body = sentence(number);
    const { title, chunks, memories } = await extractDocument({
      body,
      kind: 'text',
      fileName: null,
      documentDate: null,
    });
    const pieces = {
      chunks: { inline: chunks.map(({ start, end }) => [newId(), start, end] as const) },
      memories: { inline: memories.map(({ start, end, speaker }) => [newId(), start, end, speaker] as const) },
      unitKey: newUnitKey(),
      sizes: { chunks: chunks.length, memories: memories.length },
    };
    await change(id, (state) =>
      decideExtracted(state, 1, { text: null, title, type: 'text' }, { characters: body.length }),
    );
    await change(id, (state) => decideChunked(state, 1, pieces));
  }

  async function embed(id: string, number: number): Promise<void> {
    const document = await change(id, (state) => decideStart(state, 1, 'embedding'));
    if (document.status !== 'live') throw new Error(`${id} is ${document.status}`);
    const formed = await unitsOf(document, texts);
    const random = seededRandom(number);
    const keys = embeddedTexts(SPACE, document, formed).passages.keys();
    const entries = [...keys].map((key) => ({ key, vector: quantize(unitVector(random, DIMENSIONS)) }));
    await vectors.put(documentStream(organization, id), entries);
    const sizes = { units: formed.length };
    units += formed.length;
    await change(id, (state) => decideEmbedded(state, 1, SPACE, { renewed: true, sizes }));
    await change(id, (state) => decideIndexed(state, 1));
  }

  const ids: string[] = [];
  await inGroups(documents, CUT_TOGETHER, async (group) => {
    ids.push(...(await Promise.all(group.map(add))));
    await Promise.all(group.map((number) => cutUp(ids[number] as string, number)));
    progress(`${ids.length} of ${documents} documents added`);
  });
  progress('embedding them');
  await inGroups(documents, EMBEDDED_TOGETHER, (group) =>
    Promise.all(group.map((number) => embed(ids[number] as string, number))),
  );
  return { organization, documents, events, units, space: SPACE };
}

async function inGroups(count: number, size: number, run: (group: number[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += size) {
    await run(Array.from({ length: Math.min(size, count - from) }, (_, i) => from + i));
  }
}
