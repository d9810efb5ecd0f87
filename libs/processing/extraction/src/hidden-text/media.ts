import { pixelsOf } from './lengths.ts';

/** Width of the window for which pages are read. Pixels. */
const WIDTH = 1_280;
const WIDTH_CONDITION = /^\( ?(min|max)-width ?: ?([^\s()]+) ?\)$/;

/** Returns whether a style is for a window of usual width on a screen. Empty: for all media. */
export function isForScreen(media: string): boolean {
  return media
    .toLowerCase()
    .split(',')
    .some((query) => query.trim().replace(/\s+/g, ' ').split(' and ').every(isMet));
}

function isMet(condition: string): boolean {
  const [, type] = /^(?:only )?(all|screen)?$/.exec(condition) ?? [];
  if (type !== undefined || condition === '') return true;
  const [, bound, length = ''] = WIDTH_CONDITION.exec(condition) ?? [];
  const pixels = pixelsOf(length);
  if (bound === undefined || pixels === null) return condition === 'not print';
  return bound === 'min' ? pixels <= WIDTH : pixels >= WIDTH;
}
