/** Latin, full-width and Arabic question marks; closing quotes and brackets may follow. */
const QUESTION_MARKS = /[?？؟]["'”’»)\]\s]*$/;

export const endsInQuestion = (text: string): boolean => QUESTION_MARKS.test(text.slice(-20));

const MONTHS = 'january|february|march|april|june|july|august|september|october|november|december';
const DAYS = 'monday|tuesday|wednesday|thursday|friday|saturday|sunday';
const PERIODS =
  'second|minute|hour|day|night|morning|afternoon|evening|week|weekend|fortnight|month|quarter|year|decade';
const NUMBERS = 'a|an|one|two|three|four|five|six|seven|eight|nine|ten|few|couple of|several|\\d+';

const TIME_WORDS = new RegExp(
  [
    `\\b(?:yesterday|today|tomorrow|tonight|recently|lately|weekend|midnight|noon)\\b`,
    // "may" and "march" are also verbs: they count only next to a number or after a preposition.
    `\\b(?:${MONTHS.replace('march|', '')}|${DAYS})\\b`,
    `\\b(?:(?:in|on|of|since|until|till|by|last|next|this)\\s+(?:may|march)|(?:may|march)\\s+\\d|\\d(?:st|nd|rd|th)?\\s+(?:may|march))\\b`,
    `\\b(?:last|next|this|past|coming|previous|following)\\s+(?:${PERIODS}|${DAYS}|summer|autumn|fall|winter|spring|christmas)s?\\b`,
    `\\b(?:${NUMBERS})\\s+(?:${PERIODS})s?\\b`,
    `\\b(?:1[89]|20)\\d\\d\\b`,
    `\\b\\d{1,2}[/.]\\d{1,2}[/.]\\d{2,4}\\b`,
    `\\b\\d{1,2}:\\d{2}\\b`,
    `\\b\\d{1,2}\\s?(?:am|pm|a\\.m|p\\.m)\\b`,
    `\\b(?:days?|weeks?|months?|years?|hours?|long|while)\\s+ago\\b`,
  ].join('|'),
  'i',
);

/** Tests whether a text contains an English time: a date, a clock time, "yesterday", "last week", "two months ago". */
export const holdsTimeWord = (text: string): boolean => TIME_WORDS.test(text);

const ASKS_WHEN =
  /\bwhen\b|\b(?:what|which)\s+(?:time|date|day|week|month|year|weekday)\b|\bhow\s+(?:long\s+ago|recently)\b|\bsince\s+what\b/i;

/** Tests whether an English query asks for a time. */
export const asksWhen = (text: string): boolean => ASKS_WHEN.test(text);
