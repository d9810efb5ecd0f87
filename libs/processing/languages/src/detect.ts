import { createRequire } from 'node:module';
import { stopWordsOf } from './stop-words.ts';

/** UTF-16 code units of a text that tell whether it is prose, and plain English. */
const SAMPLE = 3_000;
/** Of these the detector reads so many. On words that it does not know it takes 10 ms for 600 of them, and 46 ms for 3,000. */
const DETECTOR_SAMPLE = 500;
/** Words in an alphabet that many languages share. Fewer say too little. */
const MIN_WORDS = 4;
/** Share of the characters other than white space that are letters. Code, tables and encoded data have fewer. */
const MIN_LETTERS = 0.8;
/** The same where the letters tell the language. Short sentences with a number have fewer than the share above. */
const MIN_TELLING_LETTERS = 0.5;
/** Mean number of characters between white space. Encoded data and lists of addresses have more. */
const MAX_MEAN_LENGTH = 20;

/**
 * Frequent English words that no other language in Latin letters writes. A text with a few of them is English without a
 * look at its letters, which takes ten times as long and needs the tables of the detector.
 */
const ENGLISH: ReadonlySet<string> = new Set(
  (
    'the and that with this from they have which what would been you your she his about because when where were are ' +
    'their there could should'
  ).split(' '),
);
/** UTF-16 code units. */
const ENGLISH_SAMPLE = 600;
const ENGLISH_SHARE = 0.06;
const MIN_ENGLISH = 2;

/**
 * Frequent Swahili words that hardly another language in Latin letters writes: the detector does not know Swahili, and takes it
 * for one of several others.
 */
const SWAHILI: ReadonlySet<string> = new Set(
  (
    'kwa katika kwenye hii hiyo hivyo hizi huu huyo hao lakini kama pia sana yake wake lake zake yao wangu yangu langu ' +
    'zangu kuwa ambayo ambao ambaye ambazo kutoka baada kabla kila watu mtu watoto siku sasa yeye wao sisi mimi wewe hapa ' +
    'huko kuna hakuna mwa cha vya bila zaidi tu wakati nani gani nini wapi'
  ).split(' '),
);
/** Words that Swahili shares with others; beside one of those above they tell as much. */
const ALSO_SWAHILI: ReadonlySet<string> = new Set('na ya wa ni za la si au'.split(' '));
const SWAHILI_SHARE = 0.2;

/** Detected languages: those of the detector without constructed ones, for which it takes encoded data. */
const DETECTED = (
  'af am ar be bg bn cs da de el en es et fa fi fr ga gu he hi hu hy id is it ja kk km kn ko la lt lv mk mn my nl no pl ' +
  'pt ro ru sk sr sv ta te th tk tl tr tt uk ur vi yi zh'
).split(' ');

const IS_ASCII = /^\p{ASCII}*$/u;

interface Detector {
  detect(text: string, options: { readonly only: readonly string[] }): string;
}

const require = createRequire(import.meta.url);
let detector: Detector | null = null;

/**
 * Returns the language of a text as a BCP 47 language code. Null: too short, or no prose. Takes less than a
 * millisecond for prose in a language that the detector knows, and up to 10 ms for other words.
 */
export function languageOf(text: string): string | null {
  if (isPlainEnglish(wordsOf(text.slice(0, ENGLISH_SAMPLE)))) return 'en';
  const sample = text.slice(0, SAMPLE);
  const words = wordsOf(sample);
  if (words.length === 0 || !isProse(sample, words)) return null;
  if (sharesAlphabet(words) && words.filter((word) => word.length > 1).length < MIN_WORDS) return null;
  if (isSwahili(words)) return 'sw';
  const language = detect(sample, DETECTED);
  return language !== null && isEnglishInstead(sample, words, language) ? 'en' : language;
}

/**
 * Returns whether a text is English although the detector names another language, as it does for short English texts with
 * names: plain ASCII with more English stop words than ones of the detected language.
 */
function isEnglishInstead(sample: string, words: readonly string[], language: string): boolean {
  if (language === 'en' || !IS_ASCII.test(sample)) return false;
  const count = (one: string) => words.filter((word) => stopWordsOf(one).has(word)).length;
  return count('en') > count(language);
}

/** Returns the one of some languages that a short text, such as a question, is most likely in; null: not known. */
export function languageAmong(text: string, languages: readonly string[]): string | null {
  const sample = text.slice(0, SAMPLE);
  const words = wordsOf(sample);
  if (languages.includes('en') && isPlainEnglish(words)) return 'en';
  if (languages.includes('sw') && isSwahili(words)) return 'sw';
  return detect(sample, languages);
}

function detect(text: string, only: readonly string[]): string | null {
  detector ??= require('tinyld') as Detector;
  // The detector reads over an elided article: to it, "L’airone" is a French word.
  return detector.detect(beginningOf(text).replaceAll(/['’]/g, ' '), { only }) || null;
}

/** Ends between two words if there is a space to end at. */
function beginningOf(text: string): string {
  if (text.length <= DETECTOR_SAMPLE) return text;
  const end = text.lastIndexOf(' ', DETECTOR_SAMPLE);
  return text.slice(0, end > 0 ? end : DETECTOR_SAMPLE);
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];

function isProse(sample: string, words: readonly string[]): boolean {
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  const runs = sample.match(/\S+/g) ?? [];
  const characters = runs.reduce((sum, run) => sum + run.length, 0);
  if (!sharesAlphabet(words)) return letters >= characters * MIN_TELLING_LETTERS;
  return letters >= characters * MIN_LETTERS && characters <= runs.length * MAX_MEAN_LENGTH;
}

function isPlainEnglish(words: readonly string[]): boolean {
  const count = words.filter((word) => ENGLISH.has(word)).length;
  return count >= MIN_ENGLISH && count >= words.length * ENGLISH_SHARE;
}

function isSwahili(words: readonly string[]): boolean {
  const own = words.filter((word) => SWAHILI.has(word)).length;
  if (own === 0) return false;
  const count = own + words.filter((word) => ALSO_SWAHILI.has(word)).length;
  return count >= 2 && count >= words.length * SWAHILI_SHARE;
}

/** Returns whether most of the first letters do not tell the language, as those of Greek, Hebrew or Chinese do. */
function sharesAlphabet(words: readonly string[]): boolean {
  const letters = words.slice(0, 20).join('');
  const shared = letters.match(/[\p{Script=Latin}\p{Script=Cyrillic}]/gu)?.length ?? 0;
  return shared * 2 >= letters.length;
}
