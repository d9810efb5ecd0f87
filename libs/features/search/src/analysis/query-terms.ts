import { languageAmong } from '#processing/languages';
import { stem } from './english.ts';
import { analyseEnglish, readToken, WORDS } from './english-terms.ts';
import { foldText } from './fold.ts';
import { termHash } from './hash.ts';
import { type LanguageRules, rulesOf } from './languages.ts';
import { rawTokens, termsIn } from './other-terms.ts';

/** Languages beside English in whose stems other spellings are looked for, the most frequent ones of the scope. */
const MOST_SPELLED = 7;

/** A word of a query: units hold it if they hold one of its terms. */
export interface QueryTerm {
  /** English, or the first one. */
  readonly term: string;
  /** Of all its terms, distinct. One, unless the scope holds several languages. */
  readonly hashes: readonly number[];
  /** Occurrences in the query. */
  readonly weight: number;
}

/** The languages that the words of a query are analysed in beside English, the likeliest first. */
export interface QueryLanguages {
  readonly languages: readonly string[];
  /** The one of them, or English, that the query is in. Null: not known. */
  readonly asked: string | null;
}

const NO_LANGUAGES: QueryLanguages = { languages: [], asked: null };

/**
 * Returns the languages of a query: its own, then those of the scope.
 * @param scope languages of the scope, the most frequent first
 */
export function queryLanguages(text: string, scope: readonly string[]): QueryLanguages {
  const languages = scope.flatMap((language) => rulesOf(language)?.language ?? []);
  if (languages.length === 0) return NO_LANGUAGES;
  const asked = languageAmong(text, ['en', ...languages]);
  return { languages: languages.toSorted((a, b) => Number(b === asked) - Number(a === asked)), asked };
}

/**
 * Returns the distinct words of a query in order of first appearance. In a scope of several languages, a word has the stems
 * of each of them, and always that of English, by which documents without rules of their own are indexed.
 */
export function queryTerms(text: string, { languages, asked }: QueryLanguages = NO_LANGUAGES): QueryTerm[] {
  const rules = languages.flatMap((language) => rulesOf(language) ?? []);
  if (rules.length === 0) return joined(analyseEnglish(text).map((term) => [term]));
  const words = rawTokens(text);
  const found = words.flatMap((word) => stemsOf(word, rules, asked));
  return joined(found.length > 0 ? found : words.map((word) => [foldText(word)]));
}

/** Returns the hashes under which units of a scope may hold one word, stop words included; distinct. */
export function wordHashes(word: string, languages: readonly string[]): number[] {
  const rules = languages.flatMap((language) => rulesOf(language) ?? []).slice(0, MOST_SPELLED);
  return [...new Set([termHash(stem(foldText(word))), ...rules.map((rule) => termHash(rule.stem(word)))])];
}

/** Returns the alternatives for each term of a word. None: it is a stop word of the language that is asked in. */
function stemsOf(word: string, rules: readonly LanguageRules[], asked: string | null): string[][] {
  const english = (foldText(word).match(WORDS) ?? []).flatMap(readToken);
  const byLanguage = [english, ...rules.map((rule) => termsIn(word, rule))];
  const own = asked === null ? -1 : ['en', ...rules.map(({ language }) => language)].indexOf(asked);
  if (byLanguage[own]?.length === 0) return [];
  const most = Math.max(...byLanguage.map(({ length }) => length));
  return Array.from({ length: most }, (_, place) => byLanguage.flatMap((terms) => terms[place] ?? []));
}

/** Words that share a term are one word. */
function joined(words: readonly (readonly string[])[]): QueryTerm[] {
  const byTerm = new Map<string, { readonly terms: Set<string>; weight: number }>();
  const found = new Set<{ readonly terms: Set<string>; weight: number }>();
  for (const terms of words) {
    const [same, ...others] = new Set(terms.flatMap((term) => byTerm.get(term) ?? []));
    const word = same ?? { terms: new Set<string>(), weight: 0 };
    word.weight += 1;
    for (const other of others) {
      found.delete(other);
      word.weight += other.weight;
    }
    for (const term of [...terms, ...others.flatMap((other) => [...other.terms])]) {
      word.terms.add(term);
      byTerm.set(term, word);
    }
    found.add(word);
  }
  return [...found].map(({ terms, weight }) => ({
    term: [...terms][0] as string,
    hashes: [...new Set([...terms].map(termHash))],
    weight,
  }));
}
