/** Tokens of one pass of a window through the model, the prefix included, without the two that open and close it. */
export const PASS_TOKENS = 126;

/** The tokens of a text that go through the model in one pass, `[from, to)`. */
export interface TextSpan {
  readonly text: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Divides the texts of a window into passes of at most `most` tokens. A text that fits into a pass is in one; a longer one
 * is divided evenly.
 * @param lengths tokens of each text
 */
export function passesOf(lengths: readonly number[], most: number): readonly (readonly TextSpan[])[] {
  const passes: TextSpan[][] = [];
  let used = most;
  lengths.forEach((length, text) => {
    const parts = Math.max(1, Math.ceil(length / most));
    for (let part = 0; part < parts; part++) {
      const span = { text, from: Math.floor((length * part) / parts), to: Math.floor((length * (part + 1)) / parts) };
      const tokens = span.to - span.from;
      if (used + tokens > most) {
        passes.push([]);
        used = 0;
      }
      passes.at(-1)?.push(span);
      used += tokens;
    }
  });
  return passes;
}
