import { Inject, Injectable } from '@nestjs/common';
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
import { CLOCK, type Clock } from '#platform/kernel';
import { rankedScope, type UnitSearchQuery, VIEWS_READER, type ViewsReader } from '#read-side/views';

/** Units that hold a word which counts as rare, at most. */
const RARE_UNITS = 2;
/** Words of one question whose other spellings are looked for. */
const MOST_RARE_WORDS = 3;
/** Spellings that are looked for in the passages. */
const MOST_TRIED = 3;

/** What is searched, without the question. */
export type Searched = Omit<UnitSearchQuery, 'question' | 'vectors' | 'limit'>;

/** Finds the forms in which a question is searched with `rewriteQuery`. */
@Injectable()
export class QueryRewriter {
  constructor(
    @Inject(VIEWS_READER) private readonly views: Pick<ViewsReader, 'search' | 'termFrequencies' | 'languages'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async rewrite(question: string, searched: Searched): Promise<QuestionForms> {
    if (!isRewritten(question)) return asAsked(question);
    return formsOf(question, this.clock.now(), await this.#spellings(question, searched));
  }

  /** Returns other spellings of the rare words of a question that the searched passages hold. */
  async #spellings(question: string, searched: Searched): Promise<ReadonlyMap<string, string>> {
    if (spelledWords(question).length === 0) return new Map();
    const languages = (await this.views.languages(rankedScope(searched))).map(({ language }) => language);
    const words = spelledWords(question, languages);
    const counts = await this.#countsOf(words, searched);
    const rare = words.flatMap((word, i) => {
      const count = counts[i] ?? 0;
      return count > RARE_UNITS ? [] : [{ word, count }];
    });
    const found = await Promise.all(
      rare
        .slice(0, MOST_RARE_WORDS)
        .map(async (one) => [one.word.word, await this.#spellingOf(one.word, one.count, searched, languages)] as const),
    );
    return new Map(found.flatMap(([word, spelling]) => (spelling === null ? [] : [[word, spelling]])));
  }

  async #spellingOf(
    word: SpelledWord,
    count: number,
    searched: Searched,
    languages: readonly string[],
  ): Promise<string | null> {
    const spellings = spellingsOf(word, count > 0, languages);
    if (spellings.length === 0) return null;
    const counts = await this.#countsOf(spellings, searched);
    const likely = spellings
      .map((spelling, i) => ({ spelling, count: counts[i] ?? 0 }))
      .filter((one) => one.count > count)
      .sort((a, b) => a.spelling.cost - b.spelling.cost || b.count - a.count)
      .slice(0, MOST_TRIED);
    for (const { spelling } of likely) {
      const written = await this.#written(spelling, searched, languages);
      if (written !== null) return written;
    }
    return null;
  }

  /** Returns in how many units of the scope each word occurs; a unit with two terms of a word counts twice. */
  async #countsOf(words: readonly SpelledWord[], searched: Searched): Promise<readonly number[]> {
    const terms = [...new Set(words.flatMap(({ hashes }) => hashes))];
    const counts = await this.views.termFrequencies({ scope: rankedScope(searched), kind: searched.kind, terms });
    const countOf = new Map(terms.map((term, i) => [term, counts[i] ?? 0]));
    return words.map(({ hashes }) => hashes.reduce((sum, hash) => sum + (countOf.get(hash) ?? 0), 0));
  }

  /**
   * Returns the word, folded, from a passage that the search may return; null if no such passage has it. The index counts hashes
   * of terms in the whole scope, also those of documents that a filter leaves out or that were deleted a moment ago.
   */
  async #written(spelling: Spelling, searched: Searched, languages: readonly string[]): Promise<string | null> {
    const [hit] = await this.views.search({ ...searched, question: spelling.word, vectors: [], limit: 1 });
    return hit === undefined ? null : writtenAs(hit.unit.text, spelling, languages);
  }
}
