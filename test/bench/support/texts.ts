import { below, seededRandom } from './random.ts';

const SUBJECTS = 'Maria,The neighbour,Our teacher,A colleague,The captain,My sister,The baker,An engineer'.split(',');
const VERBS = 'found,repaired,painted,carried,described,borrowed,measured,remembered,sold,promised'.split(',');
const QUALITIES = 'old,green,heavy,broken,quiet,wooden,famous,narrow,bright,forgotten'.split(',');
const THINGS = 'kettle,bicycle,map,ladder,piano,letter,window,boat,clock,recipe,lantern,garden'.split(',');
const PLACES = 'harbour,kitchen,library,market,station,valley,museum,orchard,workshop,theatre'.split(',');

/** Returns a plain English sentence of about 90 characters; it contains its number and is therefore unique. */
export function sentence(number: number): string {
  const random = seededRandom(number);
  const any = (words: readonly string[]) => words[below(random, words.length)] as string;
  return (
    `${any(SUBJECTS)} ${any(VERBS)} the ${any(QUALITIES)} ${any(THINGS)} with number ${number} ` +
    `near the ${any(QUALITIES)} ${any(PLACES)} on a ${any(QUALITIES)} morning.`
  );
}

/** Returns one sentence of about 60 tokens, which stays one passage. */
export function passage(number: number): string {
  const parts = [0, 1, 2].map((part) => sentence(number * 3 + part).slice(0, -1));
  return `${parts.join(', while ')}.`;
}

/** Distinct words of the Zipf texts. */
const VOCABULARY = 50_000;
const CONSONANTS = 'bdfgklmnprtvz';
const VOWELS = 'aou';
const SYLLABLES = [...CONSONANTS].flatMap((consonant) => [...VOWELS].map((vowel) => consonant + vowel));

/** Returns the word of a rank: three syllables and a consonant, never a stop word and unchanged by stemming. */
function word(rank: number): string {
  const { length } = SYLLABLES;
  const syllable = (value: number) => SYLLABLES[value % length] as string;
  return `${syllable(rank)}${syllable(Math.floor(rank / length))}${syllable(Math.floor(rank / length ** 2))}k`;
}

const WORDS = Array.from({ length: VOCABULARY }, (_, rank) => word(rank));

/** Returns 40 to 80 words; the word of rank r has a probability of about 1/r. */
export function zipfText(random: () => number): string {
  const words = Array.from({ length: 40 + below(random, 41) }, () => WORDS[Math.floor(VOCABULARY ** random()) - 1]);
  return words.join(' ');
}
