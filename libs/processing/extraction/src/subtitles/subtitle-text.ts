import type { ReadableText } from '../extractors/extractor.ts';
import { PAUSE, SENTENCE_END, type TimedPassage, timedText } from '../timed-text.ts';
import { plainWords, voicesOf } from './cue-words.ts';
import { type Cue, cuesOf, isVtt, startsWithCue } from './cues.ts';
import { withoutRepeats } from './rolling.ts';
import { linesOf, speakersOf } from './speakers.ts';

/** Subtitles without the ends of sentences make paragraphs that are at most so long. UTF-16 code units. */
const LONGEST = 1_000;
/** What a program heard beside words. */
const NOTE = /^\[[^[\]]*\]$/;

export const looksLikeSubtitles = (text: string): boolean => isVtt(text) || startsWithCue(text);

/**
 * Writes SRT or WebVTT as paragraphs and turns, with the second at which each cue begins. Null: the text holds no cue.
 */
export function subtitleText(text: string): ReadableText | null {
  const cues = cuesOf(text);
  if (cues.length === 0 && !isVtt(text)) return null;
  const marked = cues.map(({ lines }) => lines.join('\n'));
  const voices = marked.map(voicesOf);
  const words = marked.map(plainWords);
  const isVoiced = voices.some((voice) => voice !== null);
  const fresh = isVoiced ? null : withoutRepeats(words);
  const passages = isVoiced ? voicedPassages(cues, voices, words) : linePassages(cues, fresh ?? words);
  const omits = (said: string): boolean => fresh !== null && NOTE.test(said);
  return { ...timedText(passages, { sentenceEnd: SENTENCE_END, longest: LONGEST, omits }), ...detailsOf(text) };
}

/** A cue without a voice ends the sentence of the voice before, or nobody says it. */
function voicedPassages(
  cues: readonly Cue[],
  voices: readonly ReturnType<typeof voicesOf>[],
  words: readonly string[],
): readonly TimedPassage[] {
  const passages: TimedPassage[] = [];
  for (const [i, { startSeconds, endSeconds }] of cues.entries()) {
    const last = passages.at(-1);
    const goesOn = last !== undefined && startSeconds - last.endSeconds < PAUSE && !SENTENCE_END.test(last.text.trim());
    const unnamed = { speaker: (goesOn && last.speaker) || null, words: words[i] as string };
    for (const { speaker, words: text } of voices[i] ?? [unnamed]) {
      passages.push({ startSeconds, endSeconds, speaker, text });
    }
  }
  return passages;
}

/** Who says a cue without a name: the speaker before, unless a dash begins what another one says. */
function linePassages(cues: readonly Cue[], words: readonly string[]): readonly TimedPassage[] {
  const speakers = speakersOf(words);
  const passages: TimedPassage[] = [];
  let speaker: string | null = null;
  for (const [i, { startSeconds, endSeconds }] of cues.entries()) {
    const last = passages.at(-1);
    // What was said is still shown.
    if (words[i] === '' && last !== undefined) passages[passages.length - 1] = { ...last, endSeconds };
    for (const { isChange, speaker: named, words: text } of linesOf(words[i] as string, speakers)) {
      const isSame = named !== null && named === speaker;
      if (isChange) speaker = named;
      passages.push({ startSeconds, endSeconds, speaker, text, isChange: isChange && !isSame });
    }
  }
  return passages;
}

/** What the header of WebVTT says: `WEBVTT - title`, and `Language: en` in a line of its own. */
function detailsOf(text: string): Pick<ReadableText, 'title' | 'language'> {
  if (!isVtt(text)) return { title: null };
  const [header = ''] = text.slice(0, 2_000).split('\n\n', 1);
  const title = /^WEBVTT[ \t]+(?:[-–]\s*)?(.+)/.exec(header)?.[1]?.trim() ?? null;
  return { title, language: /^Language:\s*([\w-]{2,35})\s*$/im.exec(header)?.[1] ?? null };
}
