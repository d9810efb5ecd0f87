import { LRUCache } from 'lru-cache';
import type { Questions } from '#features/vector-spaces';
import { contentHash, type Scope } from '#platform/kernel';
import type { QuestionVector, UnitHit } from '#read-side/views';
import type { ScoredHit } from './results.ts';

/** Milliseconds. Afterwards a scope is checked again, because its conversations may be gone. */
const REMEMBERED_MS = 600_000;
const MOST_SCOPES = 10_000;
/** Looks for one question at most, while the space of the views changes. */
const LOOKS = 3;

/** What is looked for. */
export interface SearchPlan {
  /** Whose units are ranked among each other. */
  readonly scope: Scope;
  /** The forms of the question. The first one is the question as it came. */
  readonly texts: readonly string[];
  /** Core of the question as it came, which serves for all forms. Null: no units with speakers are looked for. */
  readonly core: string | null;
  /** The question is about a past time. */
  readonly isPast: boolean;
}

/** Vectors of each form of a question. */
export type FormVectors = readonly (readonly QuestionVector[])[];

/**
 * Embeds a question and looks for it. Looks again in two cases. The scope holds units with a speaker and the date of their
 * document: the ranker orders these by the question's core, which is embedded too. Or the views have another vector space by
 * now: the question is embedded in that one.
 */
export class Retrieval {
  readonly #questions: Questions;
  /** Scopes that hold such units. */
  readonly #scopes = new LRUCache<string, true>({ max: MOST_SCOPES, ttl: REMEMBERED_MS });

  constructor(questions: Questions) {
    this.#questions = questions;
  }

  /** @param look finds hits with the vectors of the forms, one list for each kind of units; the last answer counts */
  async find(
    { scope, texts, core, isPast }: SearchPlan,
    look: (vectors: FormVectors) => Promise<readonly (readonly ScoredHit[])[]>,
  ): Promise<readonly (readonly ScoredHit[])[]> {
    let space: string | null = null;
    for (let looks = 1; ; ) {
      const cores = core !== null && this.#scopes.has(keyOf(scope)) ? [core] : [];
      const embedded = await this.#questions.embed([...texts, ...cores], { scope, isPast, space });
      const vectors = embedded.vectors.slice(0, texts.length);
      const found = await look(cores.length > 0 ? withCore(vectors, embedded.vectors.at(-1) ?? []) : vectors);
      if (core !== null && cores.length === 0 && found.flat().some(({ hit }) => isRanked(hit))) {
        this.#scopes.set(keyOf(scope), true);
        continue;
      }
      space = await this.#questions.otherSpace(embedded);
      if (space === null || looks === LOOKS) return found;
      looks += 1;
    }
  }
}

/** Returns the vectors without that of the core, for units that have no speakers. */
export const withoutCore = (vectors: FormVectors): FormVectors =>
  vectors.map((form) => form.map(({ space, values }) => ({ space, values })));

const withCore = (vectors: FormVectors, core: readonly QuestionVector[]): FormVectors =>
  vectors.map((form) =>
    form.map((vector) => {
      const ofCore = core.find(({ space }) => space === vector.space)?.values;
      return ofCore === undefined ? vector : { ...vector, core: ofCore };
    }),
  );

const isRanked = ({ unit, document, evidence }: UnitHit): boolean =>
  unit.speaker !== null && document.documentDate !== null && evidence.cosineBare !== null;

/** A hash, because the tags of a scope may be long and many. */
const keyOf = ({ organization, tags }: Scope): string =>
  contentHash(organization, JSON.stringify(tags === 'all' ? null : [...new Set(tags)].sort()));
