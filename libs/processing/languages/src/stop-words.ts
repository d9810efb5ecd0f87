import { createRequire } from 'node:module';

/**
 * Detected languages in Latin letters, by the names of their lists in the package. It has no Serbian list; in Latin letters
 * the frequent words are those of Croatian.
 */
const LISTS: Readonly<Record<string, string>> = {
  ...{ af: 'afr', cs: 'ces', da: 'dan', de: 'deu', en: 'eng', es: 'spa', et: 'est', fi: 'fin', fr: 'fra', ga: 'gle' },
  ...{ hu: 'hun', id: 'ind', it: 'ita', la: 'lat', lt: 'lit', lv: 'lav', nl: 'nld', no: 'nob', pl: 'pol', pt: 'por' },
  ...{ ro: 'ron', sk: 'slk', sr: 'hrv', sv: 'swe', tl: 'tgl', tr: 'tur', vi: 'vie' },
};

/** Frequent words of languages that the package lacks. */
const OWN_LISTS: Readonly<Record<string, string>> = {
  is: 'og er sem en um til var hann hafa ekki af eru frá að í á við það með fyrir ég hún',
  tk: 'we bu bilen bir ol hem men sen biz siz olar ýaly üçin diýip',
};

const require = createRequire(import.meta.url);
const loaded = new Map<string, ReadonlySet<string>>();

/** Returns the frequent words of a language in lower case; empty if it is not written in Latin letters. */
export function stopWordsOf(language: string): ReadonlySet<string> {
  const known = loaded.get(language);
  if (known !== undefined) return known;
  const words = new Set(OWN_LISTS[language]?.split(' ') ?? listOf(LISTS[language]));
  loaded.set(language, words);
  return words;
}

const listOf = (name: string | undefined): readonly string[] =>
  name === undefined ? [] : ((require('stopword') as Readonly<Record<string, readonly string[]>>)[name] ?? []);
