import { pixelsOf } from './lengths.ts';

/** Width of the window for which pages are read. Pixels. */
const WIDTH = 1_280;
/** `(min-width: 600px)`, `(width >= 600px)` or `(600px <= width)`. */
const LENGTH = '([\\d.]+[a-z]*)';
const AT_LEAST = new RegExp(`^\\((?:min-width:${LENGTH}|width>=?${LENGTH}|${LENGTH}<=?width)\\)$`);
const AT_MOST = new RegExp(`^\\((?:max-width:${LENGTH}|width<=?${LENGTH}|${LENGTH}>=?width)\\)$`);

/** Returns whether a style is for a window of usual width on a screen. Empty: for all media. */
export function isForScreen(media: string): boolean {
  return media
    .toLowerCase()
    .split(',')
    .some((query) => query.trim().replace(/\s+/g, ' ').split(' and ').every(isMet));
}

/** Other conditions count as not met. */
function isMet(condition: string): boolean {
  if (/^(?:(?:only )?(?:all|screen)|not print)?$/.test(condition)) return true;
  const words = condition.replaceAll(' ', '');
  const least = lengthIn(AT_LEAST, words);
  const most = lengthIn(AT_MOST, words);
  return (least !== null && least <= WIDTH) || (most !== null && most >= WIDTH);
}

function lengthIn(form: RegExp, condition: string): number | null {
  const [, ...lengths] = form.exec(condition) ?? [];
  const length = lengths.find((one) => one !== undefined);
  return length === undefined ? null : pixelsOf(length);
}
