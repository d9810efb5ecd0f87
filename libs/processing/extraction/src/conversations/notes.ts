/** What stands in a turn for what is no text: one form for messages over the API and for files. */

/** Returns `[calls name values]`. @param name null: not known @param values of the call, as they were sent */
export function callNote(name: string | null, values: unknown): string {
  const sent =
    values === undefined || values === null ? '' : typeof values === 'string' ? values : JSON.stringify(values);
  return `[calls ${name ?? 'a tool'}${sent === '' ? '' : ` ${sent}`}]`;
}

/**
 * Returns `[image]` or `[image https://…: words]`. The address is without the query, which may hold a signature; words of
 * its path may be searched for.
 */
export function imageNote(url: string, words?: string): string {
  const place = /^https?:\/\/[^?#\s]{1,500}/i.exec(url)?.[0];
  const note = place === undefined ? 'image' : `image ${place}`;
  return words === undefined ? `[${note}]` : `[${note}: ${words}]`;
}

/** Returns `[file name]`, or `[file name: words]` with the words of the file. */
export const fileNote = (name: string | null, words: string | null = null): string =>
  `[file${name === null ? '' : ` ${name}`}${words === null ? '' : `: ${words}`}]`;
