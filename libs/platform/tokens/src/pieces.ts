/** UTF-16 code units of a piece at most: the tokenizer's time for a run without a break grows with the square of its length. */
const LONGEST = 1_000;
/** The next line begins with what no token shares with the end of a line. */
const LINE_BREAK = /(?<=\n)(?![\s/])/;
const IN_WORD = /[\p{L}\p{M}\p{N}]/u;
/** May belong to the word before it (`'s`), or is counted with what follows. */
const JOINS = /['\r\n]/;

/**
 * Cuts a text into pieces that are counted one by one. The counts add up to that of the text, because no token of o200k crosses
 * a cut after a line or a word; where a run has neither within 1,000 code units, a cut costs about one token. Surrogate pairs
 * stay together. The pieces of lines joined with `\n` are those of each line.
 */
export function* piecesOf(text: string): Generator<string> {
  for (const line of text.split(LINE_BREAK)) {
    let start = 0;
    while (line.length - start > LONGEST) {
      const end = cutBefore(line, start, start + LONGEST);
      yield line.slice(start, end);
      start = end;
    }
    if (start < line.length) yield line.slice(start);
  }
}

/** Returns the last place that is not after `end` and ends a word. Without any: `end`, or before it if that is inside a pair. */
function cutBefore(line: string, start: number, end: number): number {
  let wordGoesOn = IN_WORD.test(line[end] as string);
  for (let at = end; at > start; at -= 1) {
    const isAfterWord = IN_WORD.test(line[at - 1] as string);
    if (isAfterWord && !wordGoesOn && !JOINS.test(line[at] as string)) return at;
    wordGoesOn = isAfterWord;
  }
  return isInPair(line, end) ? end - 1 : end;
}

const isInPair = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(text[at - 1] as string) && /[\udc00-\udfff]/.test(text[at] as string);
