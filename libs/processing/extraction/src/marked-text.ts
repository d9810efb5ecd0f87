import type { Steps } from '#platform/kernel';
import { skipSpace, trimSpace } from './characters.ts';
import { isoDateOf } from './dates.ts';
import type { Passage } from './port.ts';
import { LINES_AT_ONCE, ROLES } from './turns.ts';

/** What stands between the markers of a text, trimmed: the words of one turn, or a text without a speaker. */
export interface MarkedPart extends Passage {
  /** Where its markers begin: behind the part before it. */
  readonly from: number;
  /** Null: it is no turn. */
  readonly speaker: string | null;
  /** ISO 8601, as its markers say. Null: they do not. */
  readonly date: string | null;
}

interface Marker {
  /** Begins a line, or follows another marker. `speaker`: of the words behind it; `time`, or `date` at its end: of what follows. */
  readonly form: RegExp;
  /** What ends the words behind it before the next marker does. `begin`: with this the marker begins itself. */
  readonly end?: { readonly begin: string; readonly mark: (speaker: string) => string };
  /** Begins or ends a frame: the date at its beginning is that of all parts inside. */
  readonly frame?: 'begins' | 'ends';
  /** Other texts have such lines, too: a single one counts at the beginning only. */
  readonly isCommon?: true;
}

const GAP = '[^\\S\\n]{0,9}';
/** A word that is alone on the rest of its line. */
const ID = `[^\\s[]{1,200}(?=${GAP}(?:\\n|$))`;
const ROLE = `(?<speaker>${[...ROLES].join('|')})`;

/** The forms in which clients store turns and notes. Each matches within bounds, at one position. */
const MARKERS: readonly Marker[] = [
  // `1. [user] words`
  { form: new RegExp(`\\d{1,6}[.)][^\\S\\n]{0,3}\\[${ROLE}\\](?=\\s|$)`, 'iy'), isCommon: true },
  // `[user] words`
  { form: new RegExp(`\\[${ROLE}\\](?=[^\\S\\n]{1,9}\\S)`, 'iy'), isCommon: true },
  // `[role: user]` … `[user:end]`
  {
    form: new RegExp(`\\[role:[^\\S\\n]{0,3}${ROLE}\\]`, 'iy'),
    end: { begin: '[role:', mark: (speaker) => `[${speaker}:end]` },
  },
  // `<|turn_start|>2026-11-27T09:30:00Z` … `<|turn_end|>`
  { form: /<\|turn_start\|>(?<time>[^\n<]{0,80})/y, frame: 'begins' },
  { form: /<\|turn_end\|>/y, frame: 'ends' },
  // `<|start|>user<|message|>words<|end|>`; what an assistant does with a tool, `assistant:tool`, is its own
  {
    form: /<\|start\|>(?<speaker>[\w-]{1,40})(?::[\w-]{1,40})?<\|message\|>/y,
    end: { begin: '<|start|>', mark: () => '<|end|>' },
  },
  // `[Session ID]`, with the id behind it or on the next line, where it has a digit
  {
    form: new RegExp(
      `\\[Session ID(?::[^\\]\\n]{0,200})?\\](?:${GAP}${ID}|${GAP}\\n${GAP}(?=\\S{0,200}\\d)${ID})?`,
      'y',
    ),
  },
  { form: /\[Session Summary\]/y },
  // `[SAVE:2026-11-27]` or `[SAVE:name:2026-11-27]` … `[/SAVE]`
  { form: /\[SAVE:(?<date>[^\]\n]{1,300})\]/y, end: { begin: '[SAVE:', mark: () => '[/SAVE]' } },
];

const CERTAIN = MARKERS.filter(({ isCommon }) => !isCommon);

/** Returns the parts of a text in order, without its markers. A text without markers is one part, as it is. Linear. */
export function* markedParts(text: string): Steps<readonly MarkedPart[]> {
  const { parts, common } = yield* divide(text, MARKERS);
  const isCommonText = common === 1 && parts[0]?.speaker === null;
  return isCommonText ? (yield* divide(text, CERTAIN)).parts : parts;
}

interface Division {
  readonly parts: MarkedPart[];
  /** Markers that other texts have, too. */
  readonly common: number;
}

/** @param markers that count */
function* divide(text: string, markers: readonly Marker[]): Steps<Division> {
  const parts: MarkedPart[] = [];
  const next = positionsIn(text);
  let count = 0;
  let common = 0;
  /** Date of the frame around the present position. */
  let frame: string | null = null;
  /** Behind the last part and what ends it. */
  let boundary = 0;
  let open: Omit<MarkedPart, 'end'> = { from: 0, start: 0, speaker: null, date: null };
  const close = (at: number, behind: number): void => {
    const start = skipSpace(text, open.start, at);
    const end = trimSpace(text, start, at);
    if (start === end) return;
    parts.push({ ...open, start, end });
    boundary = behind;
  };
  let seen = 0;
  for (let position = 0; position < text.length; ) {
    seen++;
    if (seen % LINES_AT_ONCE === 0) yield;
    const at = skipBlanks(text, position);
    const found = markerAt(text, at, markers);
    if (found === null) {
      const newline = text.indexOf('\n', at);
      position = newline < 0 ? text.length : newline + 1;
      continue;
    }
    const { marker, speaker, date, behind } = found;
    close(at, at);
    count += 1;
    if (marker.isCommon) common += 1;
    if (marker.frame) frame = date;
    if (marker.frame === 'ends') boundary = behind;
    open = { from: boundary, start: behind, speaker, date: date ?? frame };
    position = behind;
    if (marker.end === undefined) continue;
    const mark = marker.end.mark(speaker ?? '');
    const last = next(mark, behind);
    // Without its end, the part goes on up to the next marker.
    if (last < 0 || isWithin(next(`\n${marker.end.begin}`, behind), last)) continue;
    position = last + mark.length;
    close(last, position);
    open = { from: boundary, start: position, speaker: null, date: frame };
  }
  if (count === 0) return { parts: [{ ...open, end: text.length }], common };
  close(text.length, text.length);
  return { parts, common };
}

const isWithin = (position: number, end: number): boolean => position >= 0 && position < end;

interface FoundMarker {
  readonly marker: Marker;
  readonly speaker: string | null;
  readonly date: string | null;
  readonly behind: number;
}

/** Markers begin with one of these, so most lines are passed without a search. */
const FIRST = /[[<\d]/;

function markerAt(text: string, at: number, markers: readonly Marker[]): FoundMarker | null {
  if (!FIRST.test(text.charAt(at))) return null;
  for (const marker of markers) {
    const { form } = marker;
    form.lastIndex = at;
    const groups = form.exec(text);
    if (groups === null) continue;
    const { speaker = null, time, date = time } = groups.groups ?? {};
    const iso = ISO_DATE.exec(date ?? '')?.[1];
    return { marker, speaker, date: isoDateOf(iso ?? time), behind: at + groups[0].length };
  }
  return null;
}

/** At the end of the words: a name and a colon may precede it. */
const ISO_DATE = /(?<!\d)(\d{4}-\d\d-\d\d(?:[T ][\d:.]{4,18}(?:Z|[+-]\d\d:?\d\d)?)?)\s{0,9}$/;

function skipBlanks(text: string, start: number): number {
  let position = start;
  while (text[position] === ' ' || text[position] === '\t' || text[position] === '\r') position++;
  return position;
}

/** Returns where a string stands from a position on, or -1. For positions that grow, all calls together are linear. */
function positionsIn(text: string): (searched: string, from: number) => number {
  const known = new Map<string, number>();
  return (searched, from) => {
    const before = known.get(searched);
    if (before !== undefined && (before < 0 || before >= from)) return before;
    const found = text.indexOf(searched, from);
    known.set(searched, found);
    return found;
  };
}
