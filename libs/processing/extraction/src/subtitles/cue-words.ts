/** Tags and times inside of the words: of HTML, WebVTT, and the codes of other subtitles in braces. */
const TAGS = /<(?:\/?[a-z][^<>]{0,300}|\d[\d:.]{3,20})>|\{(?:\\|[a-z]:)[^{}]{0,300}\}/gi;
/** Readings above words. */
const READINGS = /<rt(?:[. ][^<>]{0,100})?>[^<>]{0,200}(?:<\/rt>|(?=<\/ruby>))/gi;
const CODES = /&(?:amp|lt|gt|quot|nbsp|lrm|rlm|#39|#x27|apos);|\\[Nnh]/g;
const CHARACTERS: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&nbsp;': ' ', '&lrm;': '', '&rlm;': '' },
  ...{ '&#39;': "'", '&#x27;': "'", '&apos;': "'", '\\N': '\n', '\\n': '\n', '\\h': ' ' },
};

/** Returns the words of a cue or a part of it, without marks. */
export const plainWords = (marked: string): string =>
  marked
    .replace(READINGS, '')
    .replace(TAGS, '')
    .replace(CODES, (code) => CHARACTERS[code] ?? code);

export interface Voice {
  /** Null: the mark ends what the voice before says. */
  readonly speaker: string | null;
  readonly words: string;
}

const VOICE = /<(?:v(?:\.[^<> \t\n]{0,100})?[ \t\n]([^<>]{1,200})|\/v)>/g;

/** Returns what the voices of a cue say (`<v Orla>`). Null: it names none. */
export function voicesOf(marked: string): readonly Voice[] | null {
  const voices: Voice[] = [];
  let speaker: string | null = null;
  let start = 0;
  const add = (end: number): void => {
    const words = plainWords(marked.slice(start, end));
    if (words.trim() !== '') voices.push({ speaker, words });
  };
  for (const { 0: mark, 1: name, index } of marked.matchAll(VOICE)) {
    add(index);
    speaker = name === undefined ? null : plainWords(name).trim();
    start = index + mark.length;
  }
  if (start === 0) return null;
  add(marked.length);
  return voices;
}
