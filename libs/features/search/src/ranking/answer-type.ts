/** What a question asks for. */
export type AnswerType = 'number' | 'place' | 'name' | 'reason';

const ASKS: readonly (readonly [AnswerType, RegExp])[] = [
  ['number', /\bhow\s+(?:many|much|old|often|far|long)\b|\bwhat\s+(?:number|amount|age|price|percentage)\b/i],
  [
    'place',
    /\bwhere\b|\b(?:what|which)\s+(?:\w+\s+)?(?:place|city|country|state|town|location|area|park|beach|island)s?\b/i,
  ],
  ['name', /\bwho(?:m|se)?\b|\bwhat(?:'s|’s|\s+is|\s+are|\s+was|\s+were)?\s+(?:the\s+)?(?:\w+\s+)?names?\b/i],
  [
    'reason',
    /\bwhy\b|\bwhat\s+(?:\w+\s+)?(?:reasons?|motivat\w+|inspir\w+|made|led|caused|prompted)\b|\bhow\s+come\b/i,
  ],
];

const HOLDS: Readonly<Record<AnswerType, RegExp>> = {
  number:
    /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|once|twice|couple|several|few|every|each|both)\b/i,
  place:
    /\b(?:in|at|from|to|near|around|visit(?:ed|ing)?)\s+(?:the\s+)?\p{Lu}\p{Ll}+|\b(?:city|country|beach|park|mountains?|lake|island|town|restaurant|museum|home\s?town)\b/u,
  name: /(?<=[\p{Ll},:]\s)\p{Lu}\p{Ll}+|\b(?:mom|mum|mother|dad|father|sister|brother|friends?|family|wife|husband|son|daughter|kids|teacher|mentor|cousin|aunt|uncle|grand(?:ma|pa|mother|father))\b/u,
  reason:
    /\bbecause\b|\bso that\b|\bsince\b|\breasons?\b|\bmotivat|\binspir|\bwant(?:ed)? to\b|\bto help\b|\bmade me\b|\bled me\b|\bthat['’]s why\b|\bhelps? me\b/i,
};

/** Returns what an English question asks for; null: something else, or a time. */
export const answerTypeOf = (question: string): AnswerType | null =>
  ASKS.find(([, asks]) => asks.test(question))?.[0] ?? null;

/** Tests whether an English text holds something of this type. @param text without the name of its speaker */
export const holdsAnswer = (type: AnswerType, text: string): boolean => HOLDS[type].test(text);
