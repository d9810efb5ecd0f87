import { createRequire } from 'node:module';
import { primaryLanguage } from '#processing/languages';
import { foldText } from './fold.ts';

/** Stop words and stems of a language. Words are in lower case with their accents. */
export interface LanguageRules {
  readonly language: string;
  /** Stored in index entries. 1…31; 0 is English. */
  readonly number: number;
  isStopWord(word: string): boolean;
  /** Returns the folded stem. */
  stem(word: string): string;
}

type Stemmers = { readonly stemmer: (word: string) => string };
type StopWords = { readonly stopwords: readonly string[] };

const require = createRequire(import.meta.url);

/**
 * The languages of which the packages have stop words and a stemmer, English apart, and Hebrew, of which words lose their
 * vowel points. The place of a language is stored in index entries: new ones come at the end.
 */
const PACKAGES: readonly (readonly [language: string, name: string | null])[] = [
  ...([
    ['de', 'german'],
    ['fr', 'french'],
    ['es', 'spanish'],
    ['it', 'italian'],
    ['pt', 'portuguese'],
  ] as const),
  ...([
    ['nl', 'dutch'],
    ['sv', 'swedish'],
    ['da', 'danish'],
    ['no', 'norwegian'],
    ['fi', 'finnish'],
  ] as const),
  ...([
    ['ru', 'russian'],
    ['uk', 'ukrainian'],
    ['bg', 'bulgarian'],
    ['sr', 'serbian'],
    ['el', 'greek'],
  ] as const),
  ...([
    ['hu', 'hungarian'],
    ['ro', 'romanian'],
    ['tr', 'turkish'],
    ['lt', 'lithuanian'],
    ['ga', 'irish'],
  ] as const),
  ...([
    ['ar', 'arabic'],
    ['he', null],
    ['hi', 'indian'],
    ['ne', 'nepali'],
    ['ta', 'tamil'],
  ] as const),
  ...([
    ['id', 'indonesian'],
    ['hy', 'armenian'],
  ] as const),
];

const PLACES: ReadonlyMap<string, number> = new Map(PACKAGES.map(([language], place) => [language, place]));

/** Signs of vowels and length in Arabic and Hebrew, which are usually left out, and the stroke that lengthens a word. */
const OPTIONAL_SIGNS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g;

const loaded = new Map<string, LanguageRules>();

/** Languages whose words are analysed by rules of their own, in the order of their numbers. */
export const ANALYSED_LANGUAGES: readonly string[] = PACKAGES.map(([language]) => language);

/** Returns the language by whose rules the words of a text are analysed; null: by those of English. */
export function analysedLanguage(tag: string | null): string | null {
  const language = tag === null || tag === 'en' ? null : primaryLanguage(tag);
  return language !== null && PLACES.has(language) ? language : null;
}

/**
 * Returns the rules of a language, which are loaded when they are first asked for. Null: the words of this language are
 * analysed as English ones, as are those of a text of no known language.
 */
export function rulesOf(tag: string | null): LanguageRules | null {
  const language = analysedLanguage(tag);
  if (language === null) return null;
  const known = loaded.get(language);
  if (known !== undefined) return known;
  const rules = load(language, PLACES.get(language) as number);
  loaded.set(language, rules);
  return rules;
}

function load(language: string, place: number): LanguageRules {
  const name = PACKAGES[place]?.[1] ?? null;
  const stemmer = name === null ? (word: string) => word : stemmerOf(name);
  const stopWords = new Set(name === null ? [] : stopWordsOf(name).flatMap((word) => [word, foldText(word)]));
  return {
    ...{ language, number: place + 1 },
    isStopWord: (word) => stopWords.has(word),
    stem: (word) => foldText(stemmer(word.replace(OPTIONAL_SIGNS, ''))),
  };
}

function stemmerOf(name: string): Stemmers['stemmer'] {
  const { stemmer } = require(`@orama/stemmers/${name}`) as Stemmers;
  return name === 'bulgarian' ? (word) => stemmer(replaceable(word)) : stemmer;
}

/** The Bulgarian stemmer replaces letters in the word that it is given, which a string refuses with a TypeError. */
function replaceable(word: string): string {
  const letters = word.split('');
  const substring = (from: number, to: number) => letters.slice(from, to).join('');
  return Object.assign(letters, { substring }) as unknown as string;
}

const stopWordsOf = (name: string): readonly string[] => (require(`@orama/stopwords/${name}`) as StopWords).stopwords;
