import {
  asAsked,
  formsOf,
  isRewritten,
  type QuestionForms,
  type SpelledWord,
  type Spelling,
  spelledWords,
  spellingsOf,
  writtenAs,
} from '#features/search';
import { rankedScope, type UnitSearchQuery, type ViewsReader } from '#read-side/views';
import type { SearchPlan } from './search-plan.ts';

/** Units that hold a word which counts as rare, at most. */
const RARE_UNITS = 2;
/** Words of one question whose other spellings are looked for. */
const MOST_RARE_WORDS = 3;
/** Spellings that are looked for in the passages. */
const MOST_TRIED = 3;

type UnitQuery = Omit<UnitSearchQuery, 'question' | 'vectors' | 'limit'>;

/** Finds the forms in which a question is searched with `rewriteQuery`. */
export class QueryRewriter {
  readonly #views: Pick<ViewsReader, 'search' | 'termFrequencies' | 'languages'>;

  constructor(views: Pick<ViewsReader, 'search' | 'termFrequencies' | 'languages'>) {
    this.#views = views;
  }

  async rewrite(question: string, { query, kinds }: Pick<SearchPlan, 'query' | 'kinds'>): Promise<QuestionForms> {
    if (!isRewritten(question)) return asAsked(question);
    // Chunks hold all words, those of memories included.
    const kind = kinds.includes('chunk') ? 'chunk' : 'memory';
    return formsOf(question, query.cutAt, await this.#spellings(question, { ...query, kind }));
  }

  /** Returns other spellings of the rare words of a question that the searched passages hold. */
  async #spellings(question: string, units: UnitQuery): Promise<ReadonlyMap<string, string>> {
    if (spelledWords(question).length === 0) return new Map();
    const languages = (await this.#views.languages(rankedScope(units))).map(({ language }) => language);
    const words = spelledWords(question, languages);
    const counts = await this.#countsOf(words, units);
    const rare = words.flatMap((word, i) => {
      const count = counts[i] ?? 0;
      return count > RARE_UNITS ? [] : [{ word, count }];
    });
    const found = await Promise.all(
      rare
        .slice(0, MOST_RARE_WORDS)
        .map(async (one) => [one.word.word, await this.#spellingOf(one.word, one.count, units, languages)] as const),
    );
    return new Map(found.flatMap(([word, spelling]) => (spelling === null ? [] : [[word, spelling]])));
  }

  async #spellingOf(
    word: SpelledWord,
    count: number,
    units: UnitQuery,
    languages: readonly string[],
  ): Promise<string | null> {
    const spellings = spellingsOf(word, count > 0, languages);
    if (spellings.length === 0) return null;
    const counts = await this.#countsOf(spellings, units);
    const likely = spellings
      .map((spelling, i) => ({ spelling, count: counts[i] ?? 0 }))
      .filter((one) => one.count > count)
      .sort((a, b) => a.spelling.cost - b.spelling.cost || b.count - a.count)
      .slice(0, MOST_TRIED);
    for (const { spelling } of likely) {
      const written = await this.#written(spelling, units, languages);
      if (written !== null) return written;
    }
    return null;
  }

  /** Returns in how many units of the scope each word occurs; a unit with two terms of a word counts twice. */
  async #countsOf(words: readonly SpelledWord[], units: UnitQuery): Promise<readonly number[]> {
    const terms = [...new Set(words.flatMap(({ hashes }) => hashes))];
    const counts = await this.#views.termFrequencies({ scope: rankedScope(units), kind: units.kind, terms });
    const countOf = new Map(terms.map((term, i) => [term, counts[i] ?? 0]));
    return words.map(({ hashes }) => hashes.reduce((sum, hash) => sum + (countOf.get(hash) ?? 0), 0));
  }

  /**
   * Returns the word, folded, from a passage that the search may return; null if no such passage has it. The index counts hashes
   * of terms in the whole scope, also those of documents that a filter leaves out or that were deleted a moment ago.
   */
  async #written(spelling: Spelling, units: UnitQuery, languages: readonly string[]): Promise<string | null> {
    const [hit] = await this.#views.search({ ...units, question: spelling.word, vectors: [], limit: 1 });
    return hit === undefined ? null : writtenAs(hit.unit.text, spelling, languages);
  }
}
