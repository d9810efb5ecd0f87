import type { Portioned } from './passages.child.ts';

/** How many vectors a passage gets. */
export const rowsOf = (passage: Portioned): number => (typeof passage === 'string' ? 1 : passage.length);

/** Names a passage among those that were in a process when it died. */
export const nameOf = (passage: Portioned): string => (typeof passage === 'string' ? passage : JSON.stringify(passage));

export const charactersOf = (passage: Portioned): number =>
  typeof passage === 'string' ? passage.length : passage.reduce((sum, text) => sum + text.length, 0);
