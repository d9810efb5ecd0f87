import type { Steps } from '#platform/kernel';

/** The head of a line that begins a turn of a transcript. */
export interface TurnHead {
  readonly speaker: string;
  /** Start of the spoken words. */
  readonly body: number;
}

/** Maximum length of the head of a turn: a time and a name. UTF-16 code units. */
const HEAD = 160;
const MAX_NAME = 40;
const MAX_NAMES = 1000;
/** A transcript has at least one turn in this many lines. */
const LINES_PER_TURN = 12;
/** Lines that are looked at before other work may go on; a few milliseconds. */
export const LINES_AT_ONCE = 2_048;
/** Maximum number of lines before the first turn. */
const LINES_BEFORE_TALK = 8;
/** From this share of turns among the lines, a name that speaks once is a speaker too. */
const ALL_TALK = 0.8;

const WORD = "[\\p{L}\\p{M}\\p{N}.'’_@&/#-]*";
const NAME = `[\\p{L}@]${WORD}(?: [\\p{L}\\p{N}]${WORD}){0,3}`;
const BRACKETED = '[\\[(][^\\])\\n]{1,40}[\\])]';
const BARE_TIME = '\\d[\\d/.:,TZ \\u202f-]{3,30}(?:[AaPp]\\.?[Mm]\\.?)?[\\s,]*';
const BOLD = '(?:\\*\\*|__)?';

/** `name: text`, `[time] name: text`, `time - name: text`, `**name:** text`, `name (time): text`, `名前：文`. */
const TURN = new RegExp(
  `^(?:(?:${BRACKETED}\\s*|${BARE_TIME})[-–—:]?\\s*)?${BOLD}(${NAME})(?:\\s?${BRACKETED})?` +
    `\\s?${BOLD}\\s?(?::${BOLD}(?=\\s|$)|：${BOLD})`,
  'u',
);

/** Roles in conversations with machines; one such line at the beginning makes a transcript. */
export const ROLES = new Set(['user', 'assistant', 'system', 'human', 'ai', 'bot', 'model']);

const ASSISTANTS = new Set(['assistant', 'ai', 'bot', 'model']);

/** Whether a speaker is a machine that answers. @param speaker null: none */
export const isAssistant = (speaker: string | null): boolean =>
  speaker !== null && ASSISTANTS.has(speaker.toLowerCase());

/** Words before a colon that do not name a person. */
const LABELS = new Set(
  (
    'note notes warning tip tips hint important caution example examples todo name age date time when where place city ' +
    'country location address phone email e-mail subject from to cc bcc sent attachments re fwd title author summary status state price ' +
    'total url link source tag tags topic topics agenda ingredients method result results step steps page chapter section ' +
    'figure table version type id key value description details update edit ps p.s info error warn debug trace fatal ' +
    'pros cons goal goals monday tuesday wednesday thursday friday saturday sunday'
  ).split(' '),
);

/** `Step 3` and `Day 2` are not speakers; `Speaker 2` is. */
const NUMBERED = /[ _]\d+$/;
const NUMBERED_PERSON = /^(?:speaker|user|person|participant|agent|customer|guest|caller)\b|^speaker_/i;

/** Whether words before a colon name no person. */
export function isLabel(name: string): boolean {
  return LABELS.has(name.toLowerCase()) || (NUMBERED.test(name) && !NUMBERED_PERSON.test(name));
}

/**
 * Returns the head of the line `[start, end)` if it has the form of a turn; `findSpeakers` decides whether it is one.
 */
export function turnHead(text: string, start: number, end: number): TurnHead | null {
  const head = text.slice(start, Math.min(end, start + HEAD));
  if (!head.includes(':') && !head.includes('：')) return null;
  const match = TURN.exec(head);
  const speaker = match?.[1];
  if (match === null || speaker === undefined || speaker.length > MAX_NAME) return null;
  return { speaker, body: start + match[0].length };
}

interface Tally {
  turns: number;
  /** Turns of two words or more, which `key: value` lines rarely have. */
  talk: number;
}

/**
 * Returns the names whose lines are turns, or null if the text is not a transcript. A name counts if it speaks twice,
 * is a role, or if nearly every line is a turn, so that a single `Note:` in a reply stays part of the reply.
 */
export function* findSpeakers(text: string): Steps<ReadonlySet<string> | null> {
  const names = new Map<string, Tally>();
  let lines = 0;
  let linesBeforeFirstTurn = 0;
  let seen = 0;
  for (let start = 0; start < text.length; ) {
    seen++;
    if (seen % LINES_AT_ONCE === 0) yield;
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (text.slice(start, Math.min(end, start + HEAD)).trim() !== '') {
      lines++;
      const head = turnHead(text, start, end);
      if (head !== null && !isLabel(head.speaker)) {
        if (names.size === 0) linesBeforeFirstTurn = lines - 1;
        const tally = names.get(head.speaker);
        const talk = /\S\s+\S/.test(text.slice(head.body, Math.min(end, head.body + HEAD))) ? 1 : 0;
        if (tally !== undefined) {
          tally.turns++;
          tally.talk += talk;
        } else if (names.size < MAX_NAMES) {
          names.set(head.speaker, { turns: 1, talk });
        }
      }
    }
    start = end + 1;
  }
  return names.size === 0 ? null : decide(names, lines, linesBeforeFirstTurn);
}

function decide(
  names: ReadonlyMap<string, Tally>,
  lines: number,
  linesBeforeFirstTurn: number,
): ReadonlySet<string> | null {
  const speakers = new Set<string>();
  let turns = 0;
  let all = 0;
  let hasRole = false;
  for (const [name, tally] of names) {
    all += tally.turns;
    const role = ROLES.has(name.toLowerCase());
    const looksLikeKey = name === name.toLowerCase() && name !== name.toUpperCase() && tally.talk * 2 < tally.turns;
    if (!role && (tally.turns < 2 || looksLikeKey)) continue;
    speakers.add(name);
    turns += tally.turns;
    hasRole ||= role;
  }
  const byRole = hasRole && (turns >= 2 || linesBeforeFirstTurn === 0);
  const byRepetition = turns >= 2 && turns * LINES_PER_TURN >= lines && linesBeforeFirstTurn < LINES_BEFORE_TALK;
  if (byRole || byRepetition) {
    if (all >= lines * ALL_TALK) addSingle(names, speakers);
    return speakers;
  }
  // If every name speaks once, every line must be a turn.
  if (all >= 2 && all === lines && names.size >= 2) {
    addSingle(names, speakers);
    return speakers.size >= 2 ? speakers : null;
  }
  return null;
}

/** Adds names that speak once. A first line of two words and a colon is taken as a title if others are speakers. */
function addSingle(names: ReadonlyMap<string, Tally>, speakers: Set<string>): void {
  const [first] = names.keys();
  const known = speakers.size > 0;
  for (const name of names.keys()) {
    if (known && name === first && name.includes(' ')) continue;
    if (name[0] !== name[0]?.toLowerCase() || name === name.toUpperCase()) speakers.add(name);
  }
}
