/** The rules of a robots.txt for one program (RFC 9309). */
export class RobotsFile {
  readonly #rules: readonly Rule[];

  /** @param agent name of the program, in lower case */
  constructor(text: string, agent: string) {
    this.#rules = rulesFor(text, agent);
  }

  /** In UTF-16 code units, about. */
  get size(): number {
    return this.#rules.reduce((size, { pattern }) => size + pattern.length, 1);
  }

  /**
   * The longest rule that matches counts; of equally long ones, that which allows. Takes time in the sum of the lengths of
   * rules and address, not in their product: both come from strangers.
   */
  isAllowed({ pathname, search }: URL): boolean {
    if (pathname === '/robots.txt') return true;
    const path = normalized(pathname + search);
    let longest = -1;
    let isAllowed = true;
    for (const { pattern, allows } of this.#rules) {
      if (pattern.length < longest || (pattern.length === longest && !allows)) continue;
      if (!matches(pattern, path)) continue;
      longest = pattern.length;
      isAllowed = allows;
    }
    return isAllowed;
  }
}

interface Rule {
  readonly pattern: string;
  readonly allows: boolean;
}

/** Those of all groups that name the program; without one, of all groups for any program. */
function rulesFor(text: string, agent: string): readonly Rule[] {
  const own: Rule[] = [];
  const general: Rule[] = [];
  let isNamed = false;
  let names: string[] = [];
  let isNaming = false;
  for (const line of text.split(/\r\n?|\n/)) {
    const [, key = '', value = ''] = /^\s*([\w-]+)\s*:(.*)$/.exec(line.split('#', 1)[0] as string) ?? [];
    switch (key.toLowerCase()) {
      case 'user-agent':
        if (!isNaming) names = [];
        isNaming = true;
        names.push(value.trim().toLowerCase());
        isNamed ||= productOf(value) === agent;
        break;
      case 'allow':
      case 'disallow': {
        isNaming = false;
        const rule = { pattern: normalized(value.trim()), allows: key.toLowerCase() === 'allow' };
        // An empty rule matches nothing.
        if (rule.pattern === '') break;
        if (names.some((name) => productOf(name) === agent)) own.push(rule);
        if (names.includes('*')) general.push(rule);
        break;
      }
    }
  }
  return isNamed ? own : general;
}

const productOf = (name: string): string | undefined => /^[a-z_-]+/i.exec(name.trim())?.[0].toLowerCase();

/** `*` stands for any characters, and `$` at the end for the end of the path. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...others] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = isWhole ? others.pop() : undefined;
  for (const piece of others) {
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  if (!isWhole) return true;
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last);
}

/** The same address may be written with other escapes. */
function normalized(path: string): string {
  return path
    .replace(/[^\x21-\x7e]+/g, (characters) => encodeURIComponent(characters.toWellFormed()))
    .replace(/%[\da-f]{2}/gi, (encoded) => encoded.toUpperCase());
}
