/** A cue of subtitles, with the marks in its text. */
export interface Cue {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly lines: readonly string[];
}

const CLOCK = '(?:(\\d{1,4}):)?(\\d{1,2}):(\\d{1,2})(?:[.,:](\\d{1,3}))?';
/** Settings of the place may follow. */
const TIMES = new RegExp(`^\\s{0,20}${CLOCK}\\s{0,20}-{1,3}>\\s{0,20}${CLOCK}(?:\\s|$)`);
const ARROW = '-->';
/** Longest line with times. UTF-16 code units. */
const MAX_TIMES = 500;

/** Whether a text is WebVTT by its first line. */
export const isVtt = (text: string): boolean => /^WEBVTT(?:[ \t\n]|$)/.test(text);

/** Whether a text begins with a cue, or with the number of one. */
export const startsWithCue = (text: string): boolean => {
  const [first = '', second = ''] = text.slice(0, MAX_TIMES).trimStart().split('\n', 2);
  return TIMES.test(first) || (/^\d+\s*$/.test(first) && TIMES.test(second));
};

/**
 * Returns the cues of SRT or WebVTT by their start. Numbers, names of cues, comments, styles and regions are left out, and so is
 * a cue whose times are damaged. Linear.
 */
export function cuesOf(text: string): readonly Cue[] {
  const lines = text.split('\n');
  const isEndedByBlank = isVtt(text);
  const cues: Cue[] = [];
  const starts = lines.flatMap((line, i) => (line.length <= MAX_TIMES && line.includes(ARROW) ? [i] : []));
  for (const [i, start] of starts.entries()) {
    const times = TIMES.exec(lines[start] as string);
    if (times === null) continue;
    const next = starts[i + 1];
    const end = next === undefined ? lines.length : isName(lines, next - 1, isEndedByBlank) ? next - 1 : next;
    const all = lines.slice(start + 1, end);
    const blank = isEndedByBlank ? all.indexOf('') : -1;
    const [startSeconds, endSeconds] = [secondsOf(times.slice(1, 5)), secondsOf(times.slice(5, 9))];
    cues.push({ startSeconds, endSeconds, lines: blank === -1 ? all : all.slice(0, blank) });
  }
  return cues.sort((a, b) => a.startSeconds - b.startSeconds);
}

/** Whether a line before the times of a cue is its number or name, and not a word of the cue before. */
function isName(lines: readonly string[], at: number, isVttFile: boolean): boolean {
  const line = lines[at]?.trim() ?? '';
  return /^\d+$/.test(line) || (isVttFile && line !== '' && lines[at - 1]?.trim() === '');
}

const secondsOf = ([hours = '0', minutes, seconds, fraction = '0']: readonly (string | undefined)[]): number =>
  Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(fraction.padEnd(3, '0')) / 1000;
