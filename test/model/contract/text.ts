/** How a text is read, as simply as it can be said of texts of the vocabulary: lines of prose, and turns of a transcript. */

/** Who speaks in a line, as the public clients write it. The number may be missing. */
const MARKER = /^(?:\d+\. )?\[(user|assistant)\] /;

/** What somebody says; prose before the first turn has no speaker. */
export interface Turn {
  readonly speaker: string | null;
  readonly words: string;
  /** Where it begins in the text. */
  readonly at: number;
}

export const withoutMarker = (line: string): string => line.replace(MARKER, '');

/** Whether lines with speakers are turns: several of them, or the first one. */
export function isTranscript(text: string): boolean {
  const lines = text.split('\n');
  return MARKER.test(text) || lines.filter((line) => MARKER.test(line)).length > 1;
}

/** Lines without a speaker belong to the turn before them. */
export function turnsOf(text: string): readonly Turn[] {
  const turns: Turn[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const [, speaker] = MARKER.exec(line) ?? [];
    const last = turns.at(-1);
    if (speaker !== undefined || last === undefined) {
      turns.push({ speaker: speaker ?? null, words: withoutMarker(line), at });
    } else {
      turns[turns.length - 1] = { ...last, words: `${last.words}\n${line}` };
    }
    at += line.length + 1;
  }
  return turns;
}

/** What a text says from a position on, without the turns of an assistant. */
export function saidByOthers(text: string, from = 0): string {
  const isTalk = isTranscript(text);
  const said: string[] = [];
  let speaker: string | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    if (isTalk) speaker = MARKER.exec(line)?.[1] ?? speaker;
    if (speaker !== 'assistant') said.push(line.slice(Math.max(0, from - at)));
    at += line.length + 1;
  }
  return said.join('\n');
}

/**
 * The words of a text in the parts that no passage crosses: a delta is a part, and in a transcript a turn.
 * @param borders where deltas begin
 */
export const partsOf = (text: string, borders: readonly number[]): readonly string[] =>
  [0, ...borders]
    .map((from, i) => text.slice(from, borders[i]).trim())
    .flatMap((part) => (isTranscript(part) ? turnsOf(part).map(({ words }) => words) : [part]));
