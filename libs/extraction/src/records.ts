/**
 * How records of CSV and JSON are written out: one line each, so that a record is found by its values as a whole. The
 * dash makes it a list item, which no reader (nor our own) takes for a person speaking.
 */
export function recordLine(fields: readonly (readonly [name: string, value: string])[]): string {
  const pairs: string[] = [];
  for (const [name, value] of fields) {
    const oneLine = value.replace(/\s+/g, ' ').trim();
    if (oneLine !== '') pairs.push(name === '' ? oneLine : `${name}: ${oneLine}`);
  }
  return pairs.length === 0 ? '' : `- ${pairs.join('; ')}`;
}
