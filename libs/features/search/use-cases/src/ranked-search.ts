import { LRUCache } from 'lru-cache';
import { coreOf } from '#features/search';
import type { Questions } from '#features/vector-spaces';
import { contentHash, type Scope } from '#platform/kernel';
import type { QuestionVector, UnitHit, UnitSearchQuery, ViewsReader } from '#read-side/views';

/** Milliseconds. Afterwards a scope is checked again, because its conversations may be gone. */
const REMEMBERED_MS = 600_000;
const MOST_SCOPES = 10_000;

/** What a search has to look at. */
export interface Look {
  /** Of each form of the question. */
  readonly vectors: readonly (readonly QuestionVector[])[];
  /** Searches the views. */
  readonly search: ViewsReader['search'];
}

/**
 * Embeds the core of a question as well, which the ranker needs, but only where the scope holds what it ranks: units with
 * a speaker and the date of their document. The first search of such a scope detects this, and is repeated.
 */
export class RankedSearch {
  readonly #views: ViewsReader;
  readonly #questions: Questions;
  /** Scopes that hold such units. */
  readonly #scopes = new LRUCache<string, true>({ max: MOST_SCOPES, ttl: REMEMBERED_MS });

  constructor(views: ViewsReader, questions: Questions) {
    this.#views = views;
    this.#questions = questions;
  }

  /**
   * @param texts the forms of the question; the first one is the question as it came, whose core serves for all
   * @param find may be called more than once; the last answer counts
   * @param isPast the question is about a past time
   */
  async search<T>(
    scope: Scope,
    texts: readonly string[],
    find: (look: Look) => Promise<T>,
    isPast = false,
  ): Promise<T> {
    const key = keyOf(scope);
    const core = coreOf(texts[0] ?? '');
    let holds = false;
    const search = async (query: UnitSearchQuery) => {
      const hits = await this.#views.search(query.kind === 'memory' ? query : withoutCore(query));
      holds ||= hits.some(isRanked);
      return hits;
    };
    const withCore = () =>
      this.#questions.search(
        scope,
        [...texts, core],
        (all) => {
          const ofCore = all.at(-1) ?? [];
          return find({ vectors: all.slice(0, -1).map((form) => form.map((one) => joined(one, ofCore))), search });
        },
        isPast,
      );
    if (this.#scopes.has(key)) return withCore();
    const found = await this.#questions.search(scope, texts, (vectors) => find({ vectors, search }), isPast);
    if (!holds) return found;
    this.#scopes.set(key, true);
    return withCore();
  }
}

function joined(vector: QuestionVector, ofCore: readonly QuestionVector[]): QuestionVector {
  const core = ofCore.find(({ space }) => space === vector.space)?.values;
  return core === undefined ? vector : { ...vector, core };
}

/** Only memories have speakers. */
const withoutCore = (query: UnitSearchQuery): UnitSearchQuery => ({
  ...query,
  vectors: query.vectors.map(({ space, values }) => ({ space, values })),
});

const isRanked = ({ unit, document, evidence }: UnitHit): boolean =>
  unit.speaker !== null && document.documentDate !== null && evidence.cosineBare !== null;

/** A hash, because the tags of a scope may be long and many. */
const keyOf = ({ organization, tags }: Scope): string =>
  contentHash(organization, JSON.stringify(tags === 'all' ? null : [...new Set(tags)].sort()));
