import { isLabel, turnHead } from '../turns.ts';

/** From this share of cues that begin with a name, each name is a speaker, also one that speaks once. */
const NAMED = 1 / 4;
/** Begins what another person says: a dash, or the mark of captions. */
const CHANGE = /^\s*(?:[-–‐—]\s*(?=[\p{L}"'“„«»¿¡…([♪])|>{2,3}\s*)/u;
/** Alone in its cue, this dash goes on with a sentence. */
const LONG_DASH = /^\s*—/;
/** A name has capitals; other words before a colon seldom have them all. */
const NAME = /^(?:\p{Lu}|\p{Lo}|@)[^\s]*(?: [\p{Lu}\p{Lo}\d#][^\s]*)*$/u;

export interface Line {
  /** Another person begins. */
  readonly isChange: boolean;
  /** Null: not named. */
  readonly speaker: string | null;
  readonly words: string;
}

/** Returns what the lines of a cue say, without dashes and names of speakers. */
export function linesOf(cue: string, speakers: ReadonlySet<string>): readonly Line[] {
  const lines = cue.split('\n');
  const isDialogue = lines.filter((line) => CHANGE.test(line)).length > 1;
  return lines.map((line) => lineOf(line, speakers, isDialogue || !LONG_DASH.test(line)));
}

function lineOf(line: string, speakers: ReadonlySet<string>, hasDash: boolean): Line {
  const dash = (hasDash && CHANGE.exec(line)?.[0]) || '';
  const words = line.slice(dash.length);
  const head = nameBefore(words);
  const isNamed = head !== null && speakers.has(head.speaker);
  return {
    isChange: dash !== '' || isNamed,
    speaker: isNamed ? head.speaker : null,
    words: isNamed ? words.slice(head.body) : words,
  };
}

/** Returns the names before colons that are speakers. @param cues their words */
export function speakersOf(cues: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  let named = 0;
  for (const cue of cues) {
    let isNamed = false;
    for (const line of cue.split('\n')) {
      const head = nameBefore(line.replace(CHANGE, ''));
      if (head === null) continue;
      isNamed = true;
      counts.set(head.speaker, (counts.get(head.speaker) ?? 0) + 1);
    }
    if (isNamed) named += 1;
  }
  const isCommon = named >= cues.length * NAMED;
  const isSpeaker = ([name, count]: readonly [string, number]): boolean =>
    isCommon || count > 1 || name === name.toUpperCase();
  return new Set([...counts].filter(isSpeaker).map(([name]) => name));
}

function nameBefore(line: string): { readonly speaker: string; readonly body: number } | null {
  const words = line.trimStart();
  const head = turnHead(words, 0, words.length);
  if (head === null || !words.startsWith(head.speaker) || !NAME.test(head.speaker) || isLabel(head.speaker))
    return null;
  return { speaker: head.speaker, body: line.length - words.length + head.body };
}
