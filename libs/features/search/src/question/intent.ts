import { asksWhen, holdsTimeWord } from '../analysis/phrases.ts';
import { CALENDAR_NAMES } from '../dates/names.ts';

/** What an English question asks for. */
export type Intent = 'when' | 'where' | 'who' | 'how many' | 'why' | 'other';

const PLACES =
  'place|city|town|village|country|state|region|continent|street|address|building|room|location|venue|airport';
const PEOPLE = 'person|people|man|woman|boy|girl|friend|colleague|relative|author|artist|singer|actor|teacher|doctor';
const AMOUNTS = 'number|amount|percentage|share|price|cost|size|age|height|length|weight|distance|score|temperature';
const MEASURES = 'many|much|often|old|tall|long|far|big|large|small|heavy|high|deep|wide|fast|expensive|few';

const ASKED: readonly (readonly [Intent, RegExp])[] = [
  ['where', new RegExp(`\\bwhere\\b|\\b(?:what|which)\\s+(?:\\w+\\s+){0,2}(?:${PLACES})\\b`, 'i')],
  ['who', new RegExp(`\\bwho(?:m|se|'s)?\\b|\\b(?:what|which)\\s+(?:${PEOPLE})\\b`, 'i')],
  ['how many', new RegExp(`\\bhow\\s+(?:${MEASURES})\\b|\\b(?:what|which)\\s+(?:\\w+\\s+){0,3}(?:${AMOUNTS})\\b`, 'i')],
  [
    'why',
    /\bwhy\b|\bhow\s+come\b|\bwhat\s+(?:was|is|were|are)?\s*(?:the\s+)?(?:reasons?|causes?|caused)\b|\bwhat\s+for\b/i,
  ],
];

/** Returns what a question asks for, by its first question word. */
export function intentOf(question: string): Intent {
  // "how long ago" asks for a time, although "how long" asks for an amount.
  if (asksWhen(question) && !isLaterThan(question, 'where', 'who', 'why')) return 'when';
  const found = ASKED.map(([intent, asks]) => [intent, question.search(asks)] as const).filter(([, at]) => at >= 0);
  return found.sort(([, a], [, b]) => a - b)[0]?.[0] ?? 'other';
}

/** Whether the question asks for one of these before it says "when": "Who called when the mail arrived?" */
function isLaterThan(question: string, ...intents: readonly Intent[]): boolean {
  const time = question.search(/\bwhen\b/i);
  if (time < 0) return false;
  return ASKED.some(([intent, asks]) => {
    const at = question.search(asks);
    return intents.includes(intent) && at >= 0 && at < time;
  });
}

/** A turn begins with its speaker. */
const SPEAKER = /^\s*[^\s:][^:\n]{0,40}:\s/u;
const NAME = `(?!(?:${CALENDAR_NAMES.join('|')})\\b)\\p{Lu}\\p{L}+`;

const NAMES_PLACE = new RegExp(
  `\\b(?:in|at|from|to|near|into|towards?|through|across|via|around)\\s+(?:the\\s+)?${NAME}|` +
    `\\b(?:in|at|on|from|to|near|into|behind|beside|under|outside|inside)\\s+(?:the|a|an|my|our|his|her|their|your)\\s+\\p{Ll}`,
  'u',
);
const NAMES_PERSON = new RegExp(
  `[\\p{L}\\p{N},;]\\s+${NAME}|\\b(?:[Mm]y|[Hh]is|[Hh]er|[Oo]ur|[Tt]heir)\\s+(?:\\w+\\s+)?` +
    `(?:mother|mom|mum|father|dad|sister|brother|son|daughter|wife|husband|partner|friend|boss|cousin|uncle|aunt|neighbou?r|` +
    `colleague|teacher|doctor|grandmother|grandma|grandfather|grandpa|kids?|children|family|team)\\b`,
  'u',
);
const HOLDS_NUMBER =
  /\p{N}|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|million|dozen|half|twice|once|several|couple)\b/iu;
const HOLDS_REASON =
  /\b(?:because|since|so that|in order to|due to|owing to|as a result|reasons?|therefore|thanks to|caused?|that's why|inspired|motivated)\b/i;

/** Tests whether a text holds what a question with this intent asks for. False for `other`. */
export function fitsIntent(intent: Intent, text: string): boolean {
  const said = text.replace(SPEAKER, '');
  switch (intent) {
    case 'when':
      return holdsTimeWord(said);
    case 'where':
      return NAMES_PLACE.test(said);
    case 'who':
      return NAMES_PERSON.test(said);
    case 'how many':
      return HOLDS_NUMBER.test(said);
    case 'why':
      return HOLDS_REASON.test(said);
    case 'other':
      return false;
  }
}
