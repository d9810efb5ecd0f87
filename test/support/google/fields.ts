import { ApiError } from './api-error.ts';

/** Of names; null: everything below. */
export type Mask = Map<string, Mask | null>;

/**
 * Reads the parameter `fields`: "*", "a,b", "a/b", "a(b,c/d)".
 * @throws ApiError
 */
export function readMask(fields: string): Mask | null {
  let at = 0;
  const wrong = () => new ApiError(400, 'invalidParameter', `Invalid field selection ${fields}`, 'fields');
  const readList = (): Mask => {
    const mask: Mask = new Map();
    for (;;) {
      const name = /^\s*([\w*]+)\s*/.exec(fields.slice(at));
      if (name === null) throw wrong();
      at += name[0].length;
      let below: Mask | null = null;
      if (fields[at] === '/') {
        at += 1;
        below = readOne();
      } else if (fields[at] === '(') {
        at += 1;
        below = readList();
        if (fields[at] !== ')') throw wrong();
        at += 1;
      }
      add(mask, name[1] ?? '', below);
      if (fields[at] !== ',') return mask;
      at += 1;
    }
  };
  const readOne = (): Mask => {
    const name = /^[\w*]+/.exec(fields.slice(at));
    if (name === null) throw wrong();
    at += name[0].length;
    if (fields[at] === '/') {
      at += 1;
      return new Map([[name[0], readOne()]]);
    }
    if (fields[at] !== '(') return new Map([[name[0], null]]);
    at += 1;
    const below = readList();
    if (fields[at] !== ')') throw wrong();
    at += 1;
    return new Map([[name[0], below]]);
  };
  const mask = readList();
  if (at !== fields.length) throw wrong();
  return mask.has('*') ? null : mask;
}

function add(mask: Mask, name: string, below: Mask | null): void {
  const known = mask.get(name);
  if (known === undefined || known === null || below === null) mask.set(name, known === null ? null : below);
  else for (const [key, value] of below) add(known, key, value);
}

/** The part of an answer that was asked for. Names that an answer does not have are left out, as optional fields are. */
export function masked(value: unknown, mask: Mask | null): unknown {
  if (mask === null || mask.has('*') || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one) => masked(one, mask));
  const all = value as Record<string, unknown>;
  return Object.fromEntries(
    [...mask].filter(([name]) => all[name] !== undefined).map(([name, below]) => [name, masked(all[name], below)]),
  );
}
