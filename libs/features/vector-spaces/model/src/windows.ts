import { endsBefore, estimateTokens } from '#processing/extraction';

/** Estimated size of a window. The model divides one that turns out to be larger. */
export const WINDOW_TOKENS = 120;

/** Consecutive texts that are embedded together, as `[start, end)` among all texts. */
export interface WindowSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Divides the texts of a document into windows. A window is full, or ends before a text whose content makes it a boundary
 * (`endsBefore`), so a change of the texts changes only windows near it. A text that is larger than a window is one alone.
 */
export function windowsOf(texts: readonly string[]): readonly WindowSpan[] {
  const windows: { start: number; end: number }[] = [];
  let used = WINDOW_TOKENS;
  texts.forEach((text, place) => {
    const tokens = estimateTokens(text);
    const share = tokens / WINDOW_TOKENS;
    const window = windows.at(-1);
    const ends =
      window === undefined ||
      used + tokens > WINDOW_TOKENS ||
      // The first one is filled, so that a short document is one window.
      (windows.length > 1 && endsBefore('window', text, { start: 0, end: text.length }, used / WINDOW_TOKENS, share));
    if (ends) {
      windows.push({ start: place, end: place + 1 });
      used = tokens;
    } else {
      window.end = place + 1;
      used += tokens;
    }
  });
  return windows;
}
