import { withoutInvisible } from '#platform/kernel';

/**
 * Writes a record of CSV or JSON as one line, so that a search finds it by all its values. The dash makes the line a
 * list item, which is not parsed as the turn of a speaker.
 */
export function recordLine(fields: readonly (readonly [name: string, value: string])[]): string {
  const pairs: string[] = [];
  for (const [name, value] of fields) {
    const oneLine = withoutInvisible(value).replace(/\s+/g, ' ').trim();
    if (oneLine !== '') pairs.push(name === '' ? oneLine : `${name}: ${oneLine}`);
  }
  return pairs.length === 0 ? '' : `- ${pairs.join('; ')}`;
}
