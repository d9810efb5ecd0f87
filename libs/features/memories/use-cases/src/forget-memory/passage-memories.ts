import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { DocumentRepository, DocumentTexts, type Live } from '#features/documents';
import { membersOf } from '#features/vector-spaces/model';
import type { AccessScope } from '#platform/kernel';
import { splitText } from '#processing/extraction';
import { CurrentViews, type ViewsReader } from '#read-side/views';
import { AT_ONCE, MemoryFinder, type MemoryMatch, type MemoryName } from '../memory-finder.ts';

type Chunk = Awaited<ReturnType<ViewsReader['chunks']>>[number];

/** Finds the memories of a passage, a chunk as searches show it. A document of one passage also names it. */
@Injectable()
export class PassageMemories {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
    private readonly finder: MemoryFinder,
    private readonly views: CurrentViews,
  ) {}

  /** Returns the memories of all passages that have the id or the text. */
  async of(scope: AccessScope, name: MemoryName): Promise<readonly MemoryMatch[]> {
    const views = await this.views.read();
    const chunks = 'id' in name ? await this.#withId(views, scope, name.id) : await this.#withText(views, scope, name);
    const byDocument = Map.groupBy(chunks, ({ documentId }) => documentId);
    const ids: string[] = [];
    for (const [documentId, named] of byDocument) {
      const places = new Set(named.map(({ unit }) => unit.ordinal));
      const [all, memories] = await Promise.all([
        unitsOf(views, scope, documentId, 'chunk'),
        unitsOf(views, scope, documentId, 'memory'),
      ]);
      const textsOf = (units: typeof all) => units.map(({ text }) => text);
      const members = membersOf(textsOf(all), textsOf(memories)).filter((_, ordinal) => places.has(ordinal));
      ids.push(...members.flat().flatMap((place) => memories[place]?.id ?? []));
    }
    return this.finder.withIds(scope, ids);
  }

  async #withId(views: ViewsReader, scope: AccessScope, id: string): Promise<readonly Chunk[]> {
    const only = await onlyChunkOf(views, scope, id);
    return only === null ? views.chunks(scope, { id }) : [only];
  }

  /** The text of a document may have marks and white space that its passage lacks. */
  async #withText(views: ViewsReader, scope: AccessScope, { text }: { readonly text: string }) {
    const [first, second] = splitText(text).chunks;
    const inside = first && !second ? text.slice(first.start, first.end) : text;
    const exact = await views.chunks(scope, { text });
    if (inside === text) return exact;
    const chunks = await views.chunks(scope, { text: inside });
    const whole = await pLimit(AT_ONCE).map(chunks, async (chunk) =>
      (await this.#isWhole(views, scope, chunk, text)) ? [chunk] : [],
    );
    return [...exact, ...whole.flat()];
  }

  async #isWhole(views: ViewsReader, scope: AccessScope, { documentId }: Chunk, text: string): Promise<boolean> {
    if ((await onlyChunkOf(views, scope, documentId)) === null) return false;
    const state = await this.documents.load(scope, documentId);
    return state.status === 'live' && (await this.texts.content(state as Live)) === text;
  }
}

async function unitsOf(views: ViewsReader, scope: AccessScope, documentId: string, kind: 'chunk' | 'memory') {
  const found = await views.unitsOf(scope, { documentIds: [documentId], kind, limit: Number.MAX_SAFE_INTEGER });
  return found.map(({ unit }) => unit);
}

/** Returns the passage of a document that has one. */
async function onlyChunkOf(views: ViewsReader, scope: AccessScope, id: string): Promise<Chunk | null> {
  const [only, another] = await views.unitsOf(scope, { documentIds: [id], kind: 'chunk', limit: 2 });
  return only === undefined || another !== undefined ? null : only;
}
