import { invalid } from './api-error.ts';
import type { DriveFile } from './drive.ts';

/** What a query is asked of. */
export interface Searched {
  readonly file: DriveFile;
  readonly isTrashed: boolean;
  /** Id of the folder that `root` names. */
  readonly root: string;
  readonly isSharedWithMe: boolean;
}

type Matches = (searched: Searched) => boolean;

const TOKEN = /\s*(?:(\(|\))|'((?:\\.|[^'\\])*)'|(!=|<=|>=|=|<|>)|([A-Za-z][\w.]*))/y;

interface Token {
  readonly kind: 'sign' | 'text' | 'operator' | 'word';
  readonly value: string;
}

/**
 * Reads the parameter `q` of files.list.
 * @throws ApiError
 */
export function readQuery(q: string): Matches {
  const tokens = tokensOf(q.trim());
  let at = 0;
  const next = () => tokens[at];
  const isWord = (word: string) => next()?.kind === 'word' && next()?.value === word;
  const take = (kind?: Token['kind']): string => {
    const token = tokens[at];
    if (token === undefined || (kind !== undefined && token.kind !== kind)) throw invalid('q');
    at += 1;
    return token.value;
  };
  const either = (): Matches => {
    let left = both();
    while (isWord('or')) {
      take();
      const [one, other] = [left, both()];
      left = (searched) => one(searched) || other(searched);
    }
    return left;
  };
  const both = (): Matches => {
    let left = one();
    while (isWord('and')) {
      take();
      const [first, second] = [left, one()];
      left = (searched) => first(searched) && second(searched);
    }
    return left;
  };
  const one = (): Matches => {
    if (isWord('not')) {
      take();
      const negated = one();
      return (searched) => !negated(searched);
    }
    if (next()?.value === '(' && next()?.kind === 'sign') {
      take();
      const inner = either();
      if (take('sign') !== ')') throw invalid('q');
      return inner;
    }
    if (next()?.kind === 'text') {
      const value = take('text');
      if (take('word') !== 'in') throw invalid('q');
      return elementOf(value, take('word'));
    }
    const term = take('word');
    if (term === 'sharedWithMe' && next()?.kind !== 'operator') return ({ isSharedWithMe }) => isSharedWithMe;
    const operator = take();
    const value = take();
    return compared(term, operator, value);
  };
  const matches = either();
  if (at !== tokens.length) throw invalid('q');
  return matches;
}

function tokensOf(q: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < q.length) {
    const match = TOKEN.exec(q);
    if (match === null) throw invalid('q');
    const [, sign, text, operator, word] = match;
    if (sign !== undefined) tokens.push({ kind: 'sign', value: sign });
    else if (text !== undefined) tokens.push({ kind: 'text', value: text.replace(/\\(.)/g, '$1') });
    else if (operator !== undefined) tokens.push({ kind: 'operator', value: operator });
    else tokens.push({ kind: 'word', value: word ?? '' });
  }
  return tokens;
}

function elementOf(value: string, collection: string): Matches {
  switch (collection) {
    case 'parents':
      return ({ file, root }) => file.parent === (value === 'root' ? root : value);
    case 'owners':
      return ({ file }) => file.driveId === null && file.owner === value;
    case 'readers':
    case 'writers':
      return ({ file }) => file.owner === value;
    default:
      throw invalid('q');
  }
}

function compared(term: string, operator: string, value: string): Matches {
  switch (term) {
    case 'name':
      return text(operator, value, ({ file }) => file.name);
    case 'mimeType':
      return text(operator, value, ({ file }) => file.mimeType);
    case 'fullText':
      if (operator !== 'contains') throw invalid('q');
      return ({ file }) => `${file.name} ${file.content ?? ''}`.toLowerCase().includes(value.toLowerCase());
    case 'shortcutDetails.targetId':
      return text(operator, value, ({ file }) => file.target ?? '');
    case 'trashed':
      return flag(operator, value, ({ isTrashed }) => isTrashed);
    case 'sharedWithMe':
      return flag(operator, value, ({ isSharedWithMe }) => isSharedWithMe);
    case 'starred':
      return flag(operator, value, () => false);
    case 'modifiedTime':
    case 'createdTime':
      return time(operator, value, ({ file }) => file[term]);
    default:
      throw invalid('q');
  }
}

/** `contains` of names matches the beginnings of words only, as the description says. */
function text(operator: string, value: string, of: (searched: Searched) => string): Matches {
  if (operator === '=') return (searched) => of(searched) === value;
  if (operator === '!=') return (searched) => of(searched) !== value;
  if (operator !== 'contains') throw invalid('q');
  const prefix = value.toLowerCase();
  const isAt = (all: string, at: number) => at === 0 || /[^\p{L}\p{N}]/u.test(all[at - 1] ?? '');
  return (searched) => {
    const all = of(searched).toLowerCase();
    for (let at = all.indexOf(prefix); at >= 0; at = all.indexOf(prefix, at + 1)) if (isAt(all, at)) return true;
    return false;
  };
}

function flag(operator: string, value: string, of: (searched: Searched) => boolean): Matches {
  if (!['=', '!='].includes(operator) || !['true', 'false'].includes(value)) throw invalid('q');
  return (searched) => of(searched) === ((value === 'true') === (operator === '='));
}

function time(operator: string, value: string, of: (searched: Searched) => number): Matches {
  const then = Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(value) ? value : `${value}Z`);
  if (Number.isNaN(then)) throw invalid('q');
  const holds: Record<string, (now: number) => boolean> = {
    '=': (now) => now === then,
    '!=': (now) => now !== then,
    '<': (now) => now < then,
    '<=': (now) => now <= then,
    '>': (now) => now > then,
    '>=': (now) => now >= then,
  };
  const compares = holds[operator];
  if (compares === undefined) throw invalid('q');
  return (searched) => compares(of(searched));
}
