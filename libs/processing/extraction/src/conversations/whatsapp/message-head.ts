/** The head of a line of an export of WhatsApp, in the forms of its apps and languages. */
export interface MessageHead {
  /** The numbers of the date in the order of the file. */
  readonly date: readonly [string, string, string];
  /** As `/`, `.`, `-`, or a word for the year. */
  readonly separator: string;
  /** `21:41` or `21:41:07`, from 0 to 23 hours. */
  readonly clock: string;
  /** Written as in the United States: `AM`, `PM`. */
  readonly isCapitalPeriod: boolean;
  /** Where the name or the notice begins. */
  readonly behind: number;
}

/** Longest head of a line. UTF-16 code units. */
const HEAD = 80;

const MORNING = '[Aa]\\.?\\s?[Mm]\\.?|上午|凌晨|早上|오전|午前|ص|ÖÖ|π\\.?μ\\.?|SA';
const EVENING = '[Pp]\\.?\\s?[Mm]\\.?|下午|中午|晚上|傍晚|오후|午後|م|ÖS|μ\\.?μ\\.?|CH';
const PERIOD = `(${MORNING}|${EVENING})?`;
const DATE = '(\\d{1,4})\\s?([./年년-])\\s?(\\d{1,2})\\s?[./月월-]\\s?(\\d{1,4})(?:日|일|\\.|\\sг\\.)?';
/** Words such as `à`, `um`, `klo` and `a las`. */
const BETWEEN = `[,،]?\\s(?:(?!${MORNING}|${EVENING})\\p{L}{1,3}\\.?\\s){0,2}`;
const TIME = `${PERIOD}\\s?(\\d{1,2})[:.](\\d\\d)(?:[:.](\\d\\d))?\\s?${PERIOD}`;
const FORM = new RegExp(`^(?:\\[${DATE}${BETWEEN}${TIME}\\]\\s?|${DATE}${BETWEEN}${TIME}(?:\\s?[-–]\\s|,\\s))`, 'u');
const IS_EVENING = new RegExp(`^(?:${EVENING})$`);

/** Marks of direction, which stand before and around parts of a line. */
export const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** The zeros of digits that are written in Arabic, Persian, Devanagari and Bengali. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6];

/** Returns the head with which a line begins. Null: it begins with none. @param line without marks of direction */
export function messageHead(line: string): MessageHead | null {
  const start = line.slice(0, HEAD).replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef]/g, asciiDigit);
  const match = FORM.exec(start);
  if (match === null) return null;
  // The groups of one of the two alternatives.
  const [first, separator, second, third, before, hour, minute, seconds, after] =
    match[1] === undefined ? match.slice(10, 19) : match.slice(1, 10);
  const period = before ?? after;
  const hours = hoursOf(Number(hour), period);
  if (hours > 23 || Number(minute) > 59) return null;
  return {
    date: [first as string, second as string, third as string],
    separator: separator as string,
    clock: [String(hours).padStart(2, '0'), minute, ...(seconds === undefined ? [] : [seconds])].join(':'),
    isCapitalPeriod: /^[AP]M$/.test(period ?? ''),
    behind: match[0].length,
  };
}

function hoursOf(hour: number, period: string | undefined): number {
  if (period === undefined || hour > 12) return hour;
  return (hour % 12) + (IS_EVENING.test(period) ? 12 : 0);
}

function asciiDigit(digit: string): string {
  const code = digit.charCodeAt(0);
  return String(code - Math.max(...ZEROS.filter((zero) => zero <= code)));
}
