import { setImmediate } from 'node:timers/promises';
import type { ExtractedDocument } from '#extraction';
import { systemScope } from '#kernel';
import type { ChunkRef, MemoryRef } from '../events.ts';
import { lossIn } from '../loss.ts';
import type { DocumentRepository } from '../repository.ts';
import type { Live } from '../state.ts';
import type { DocumentTexts } from '../texts.ts';
import { unitsOf } from '../units.ts';
import { identitiesOf, newUnitKey, unitIdsWith } from './unit-id.ts';

/** Ids computed between two turns of the event loop; about two milliseconds. */
const IDS_PER_TURN = 256;

export interface IdentifiedPassages {
  readonly chunks: readonly ChunkRef[];
  readonly memories: readonly MemoryRef[];
  /** The document's key, to be recorded with the passages. Null: every id was recorded before, without a key. */
  readonly unitKey: string | null;
}

/** Gives passages the ids of units: equal passages of one document have equal ids in all versions of its content. */
export class UnitIds {
  readonly #documents: DocumentRepository;
  readonly #texts: DocumentTexts;

  constructor(documents: DocumentRepository, texts: DocumentTexts) {
    this.#documents = documents;
    this.#texts = texts;
  }

  /** @param text the extracted text, of which the passages are ranges */
  async assign(
    document: Live,
    text: string,
    { chunks, memories }: Pick<ExtractedDocument, 'chunks' | 'memories'>,
  ): Promise<IdentifiedPassages> {
    const recorded = document.hasUnkeyedUnits ? await this.#recordedWithoutKey(document) : new Map<string, string>();
    const textOf = ({ start, end }: { readonly start: number; readonly end: number }) => text.slice(start, end);
    const identities = [...identitiesOf('chunk', chunks.map(textOf)), ...identitiesOf('memory', memories.map(textOf))];
    const isKeyNeeded = identities.some((identity) => !recorded.has(identity));
    const unitKey = document.unitKey ?? (isKeyNeeded ? newUnitKey() : null);
    const computed = unitKey === null ? null : unitIdsWith(unitKey);
    const ids: (string | undefined)[] = [];
    for (const identity of identities) {
      if (ids.length % IDS_PER_TURN === IDS_PER_TURN - 1) await setImmediate();
      ids.push(recorded.get(identity) ?? computed?.(identity));
    }
    return {
      chunks: chunks.map(({ start, end }, i) => [ids[i] as string, start, end]),
      memories: memories.map(({ start, end, speaker }, i) => [ids[chunks.length + i] as string, start, end, speaker]),
      unitKey,
    };
  }

  /** The ids that do not follow from the key, by the identity of their passages. The latest of several is kept. */
  async #recordedWithoutKey({ organization, id }: Live): Promise<ReadonlyMap<string, string>> {
    const recorded = new Map<string, string>();
    for (const state of await this.#documents.statesWithUnkeyedUnits(systemScope(organization), id)) {
      const units = await this.#unitsUnlessLost(state);
      for (const kind of ['chunk', 'memory'] as const) {
        const own = units.filter((unit) => unit.kind === kind);
        const identities = identitiesOf(
          kind,
          own.map((unit) => unit.text),
        );
        own.forEach((unit, i) => {
          recorded.set(identities[i] as string, unit.id);
        });
      }
      await setImmediate();
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
