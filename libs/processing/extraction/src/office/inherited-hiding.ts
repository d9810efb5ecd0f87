/**
 * Returns the styles that hide their words: by what they say themselves, or else by the style that they are based on. Linear, and
 * styles that are based on each other end.
 * @param own what styles say, by their names. Absent: a style says nothing
 * @param bases on which styles are based, by their names
 */
export function hidingStyles(
  own: ReadonlyMap<string, boolean>,
  bases: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const known = new Map(own);
  for (const name of bases.keys()) {
    const unknown = new Set<string>();
    let style: string | undefined = name;
    while (style !== undefined && !known.has(style) && !unknown.has(style)) {
      unknown.add(style);
      style = bases.get(style);
    }
    const hides = style !== undefined && known.get(style) === true;
    for (const one of unknown) known.set(one, hides);
  }
  return new Set([...known].flatMap(([name, hides]) => (hides ? [name] : [])));
}
