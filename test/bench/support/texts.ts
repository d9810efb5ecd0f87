import { below, seededRandom } from './random.ts';

const SUBJECTS = 'Maria,The neighbour,Our teacher,A colleague,The captain,My sister,The baker,An engineer'.split(',');
const VERBS = 'found,repaired,painted,carried,described,borrowed,measured,remembered,sold,promised'.split(',');
const QUALITIES = 'old,green,heavy,broken,quiet,wooden,famous,narrow,bright,forgotten'.split(',');
const THINGS = 'kettle,bicycle,map,ladder,piano,letter,window,boat,clock,recipe,lantern,garden'.split(',');
const PLACES = 'harbour,kitchen,library,market,station,valley,museum,orchard,workshop,theatre'.split(',');

/** A plain English sentence of some 90 characters. Its number is in it, so no two are alike. */
export function sentence(number: number): string {
  const random = seededRandom(number);
  const any = (words: readonly string[]) => words[below(random, words.length)] as string;
  return (
    `${any(SUBJECTS)} ${any(VERBS)} the ${any(QUALITIES)} ${any(THINGS)} with number ${number} ` +
    `near the ${any(QUALITIES)} ${any(PLACES)} on a ${any(QUALITIES)} morning.`
  );
}

/** Some 60 tokens in one sentence, so that it stays one passage. */
export function passage(number: number): string {
  const parts = [0, 1, 2].map((part) => sentence(number * 3 + part).slice(0, -1));
  return `${parts.join(', while ')}.`;
}

/** Distinct words that a text of Zipf's law is made of. */
const VOCABULARY = 50_000;
const CONSONANTS = 'bdfgklmnprtvz';
const VOWELS = 'aou';
const SYLLABLES = [...CONSONANTS].flatMap((consonant) => [...VOWELS].map((vowel) => consonant + vowel));

/** The word of a rank: three syllables and a consonant, which stemming leaves alone and no stop word is. */
function word(rank: number): string {
  const { length } = SYLLABLES;
  const syllable = (value: number) => SYLLABLES[value % length] as string;
  return `${syllable(rank)}${syllable(Math.floor(rank / length))}${syllable(Math.floor(rank / length ** 2))}k`;
}

const WORDS = Array.from({ length: VOCABULARY }, (_, rank) => word(rank));

/** 40 to 80 words; the word of rank r comes with a probability of about 1/r. */
export function zipfText(random: () => number): string {
  const words = Array.from({ length: 40 + below(random, 41) }, () => WORDS[Math.floor(VOCABULARY ** random()) - 1]);
  return words.join(' ');
}
