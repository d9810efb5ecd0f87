import { identitiesOf, newUnitKey, type Passage, type Passages, unitIdsWith } from '#extraction';
import { giveWayToRequests, systemScope } from '#kernel';
import type { Unit, UnitKind } from '#views';
import { lossIn } from '../content-loss/loss.ts';
import type { ChunkRef, MemoryRef } from '../events.ts';
import type { DocumentRepository } from '../repository.ts';
import type { Live } from '../state.ts';
import type { DocumentTexts } from '../texts.ts';
import { unitsOf } from '../units.ts';

const chunkRef = (id: string, { start, end, location }: Passage): ChunkRef =>
  location === undefined ? [id, start, end] : [id, start, end, location];

const memoryRef = (id: string, { start, end, speaker, location }: Passages['memories'][number]): MemoryRef =>
  location === undefined ? [id, start, end, speaker] : [id, start, end, speaker, location];

/** Ids computed before other work may go on; about half a millisecond. */
const IDS_AT_ONCE = 64;

export interface IdentifiedPassages {
  readonly chunks: readonly ChunkRef[];
  readonly memories: readonly MemoryRef[];
  /** The document's key, to be recorded with the passages. Null: every id was recorded before, without a key. */
  readonly unitKey: string | null;
}

/** Assigns unit ids to passages. A passage has the same id in all versions of a document's content. */
export class UnitIds {
  readonly #documents: DocumentRepository;
  readonly #texts: DocumentTexts;

  constructor(documents: DocumentRepository, texts: DocumentTexts) {
    this.#documents = documents;
    this.#texts = texts;
  }

  /** @param text the extracted text, of which the passages are ranges */
  async assign(document: Live, text: string, { chunks, memories }: Passages): Promise<IdentifiedPassages> {
    const recorded = document.hasUnkeyedUnits ? await this.#recordedWithoutKey(document) : new Map<string, string>();
    let unitKey = document.unitKey;
    let computeId: ((identity: string) => string) | null = null;
    const idOf = (identity: string): string => {
      const known = recorded.get(identity);
      if (known !== undefined) return known;
      unitKey ??= newUnitKey();
      computeId ??= unitIdsWith(unitKey);
      return computeId(identity);
    };
    const idsOf = async (kind: UnitKind, passages: readonly Passage[]): Promise<readonly string[]> => {
      const ids: string[] = [];
      await giveWayToRequests();
      const texts = passages.map(({ start, end }) => text.slice(start, end));
      for (const identity of identitiesOf(kind, texts)) {
        ids.push(idOf(identity));
        if (ids.length % IDS_AT_ONCE === 0) await giveWayToRequests();
      }
      return ids;
    };
    const chunkIds = await idsOf('chunk', chunks);
    const memoryIds = await idsOf('memory', memories);
    return {
      chunks: chunks.map((passage, i) => chunkRef(chunkIds[i] as string, passage)),
      memories: memories.map((passage, i) => memoryRef(memoryIds[i] as string, passage)),
      unitKey,
    };
  }

  /** Returns the ids that do not follow from the key, by the identity of their passages; of several, the latest. */
  async #recordedWithoutKey({ organization, id }: Live): Promise<ReadonlyMap<string, string>> {
    const recorded = new Map<string, string>();
    for (const state of await this.#documents.statesWithUnkeyedUnits(systemScope(organization), id)) {
      const units = await this.#unitsUnlessLost(state);
      for (const kind of ['chunk', 'memory'] as const) {
        const own = units.filter((unit) => unit.kind === kind);
        const texts = own.map((unit) => unit.text);
        let i = 0;
        for (const identity of identitiesOf(kind, texts)) recorded.set(identity, (own[i++] as Unit).id);
      }
      await giveWayToRequests();
    }
    return recorded;
  }

  /** A lost text of an earlier version must not fail the present one. */
  async #unitsUnlessLost(state: Live) {
    try {
      return await unitsOf(state, this.#texts);
    } catch (error) {
      if (lossIn(error) === null) throw error;
      return [];
    }
  }
}
