import { err, ok, type Result } from '#kernel';
import type { Condition, Filter, NumericCondition } from './filter.ts';
import { foldCase } from './fold-case.ts';
import { numberIn } from './numbers.ts';

const MOST_LEVELS = 8;
const MOST_CONDITIONS = 200;
const LONGEST_KEY = 255;

const FILTER_TYPES = ['metadata', 'numeric', 'array_contains', 'string_contains'] as const;
const NUMERIC_OPERATORS = ['>', '<', '>=', '<=', '='] as const;
const NEGATED = { '=': '!=', '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const;

/** `details` is the place in the request, e.g. `filters.AND[1].value`. */
export interface FilterError {
  readonly message: string;
  readonly details: string;
}

/**
 * Reads the filter language of the contract (§5.1, rules F1–F5 and F8): a group, or the JSON text of one. Unknown fields
 * of a condition are ignored, unknown values of known fields are refused, and nothing that does not parse is ever taken
 * as "no filter".
 */
export function parseFilter(input: unknown): Result<Filter, FilterError> {
  try {
    return ok(new FilterReader().root(input));
  } catch (refusal) {
    if (refusal instanceof FilterRefusal) return err({ message: refusal.message, details: refusal.details });
    throw refusal;
  }
}

/** Carries a refusal out of the recursion; never leaves this file. */
class FilterRefusal extends Error {
  readonly details: string;

  constructor(details: string, message: string) {
    super(message);
    this.details = details;
  }
}

type Fields = Readonly<Record<string, unknown>>;

class FilterReader {
  #conditions = 0;

  root(input: unknown): Filter {
    const fields = asObject(typeof input === 'string' ? parseJson(input) : input, 'filters');
    if (!isGroup(fields))
      throw new FilterRefusal('filters', 'filters must be a group: {"AND": [...]} or {"OR": [...]}');
    return this.#group(fields, 'filters', 1);
  }

  #node(input: unknown, place: string, level: number): Filter {
    const fields = asObject(input, place);
    return isGroup(fields) ? this.#group(fields, place, level) : this.#leaf(fields, place);
  }

  #group(fields: Fields, place: string, level: number): Filter {
    if (level > MOST_LEVELS) throw new FilterRefusal(place, `filters may be nested at most ${MOST_LEVELS} levels deep`);
    const keys = presentKeys(fields);
    if (keys.length !== 1) throw new FilterRefusal(place, 'a group has exactly one key, AND or OR');
    const name = keys[0] as 'AND' | 'OR';
    const nodes = fields[name];
    if (!Array.isArray(nodes) || nodes.length === 0) {
      throw new FilterRefusal(`${place}.${name}`, `${name} must be a non-empty array`);
    }
    return {
      kind: name === 'AND' ? 'and' : 'or',
      nodes: nodes.map((node, i) => this.#node(node, `${place}.${name}[${i}]`, level + 1)),
    };
  }

  #leaf(fields: Fields, place: string): Filter {
    if (fields.key === undefined && fields.metadata !== undefined)
      return this.#pairs(fields.metadata, `${place}.metadata`);
    this.#count(place);
    return readCondition(fields, place);
  }

  /** `{"metadata": {"status": "draft"}}`: equality on each pair (F8). */
  #pairs(input: unknown, place: string): Filter {
    const pairs = Object.entries(asObject(input, place)).filter(([, value]) => value !== undefined);
    if (pairs.length === 0) throw new FilterRefusal(place, 'metadata must name at least one key');
    const nodes = pairs.map(([key, value]) => {
      this.#count(place);
      return readCondition({ key, value }, place);
    });
    return { kind: 'and', nodes };
  }

  #count(place: string): void {
    this.#conditions += 1;
    if (this.#conditions > MOST_CONDITIONS) {
      throw new FilterRefusal(place, `filters may hold at most ${MOST_CONDITIONS} conditions`);
    }
  }
}

function readCondition(fields: Fields, place: string): Condition {
  const key = readKey(fields.key, `${place}.key`);
  const text = readValue(fields.value, `${place}.value`);
  const operator = readOneOf(fields.numericOperator, NUMERIC_OPERATORS, `${place}.numericOperator`);
  const filterType =
    readOneOf(fields.filterType, FILTER_TYPES, `${place}.filterType`) ??
    (operator === undefined ? 'metadata' : 'numeric');
  const ignoreCase = readFlag(fields.ignoreCase, `${place}.ignoreCase`);
  const negate = readFlag(fields.negate, `${place}.negate`);

  if (filterType === 'numeric') return numeric(key, operator ?? '=', text, negate, `${place}.value`);
  const value = ignoreCase ? foldCase(text) : text;
  switch (filterType) {
    case 'metadata':
      return { kind: 'equals', key, value, number: numberIn(text), ignoreCase, negate };
    case 'string_contains':
      return { kind: 'contains', key, value, ignoreCase, negate };
    case 'array_contains':
      return { kind: 'arrayContains', key, value, ignoreCase, negate };
  }
}

function numeric(
  key: string,
  operator: (typeof NUMERIC_OPERATORS)[number],
  text: string,
  negate: boolean,
  place: string,
): NumericCondition {
  const value = numberIn(text);
  if (value === null) throw new FilterRefusal(place, 'value must be a finite number for a numeric filter');
  return { kind: 'numeric', key, operator: negate ? NEGATED[operator] : operator, value };
}

function readKey(input: unknown, place: string): string {
  if (typeof input !== 'string' || input.length === 0 || input.length > LONGEST_KEY) {
    throw new FilterRefusal(place, `key must be a string of 1 to ${LONGEST_KEY} characters`);
  }
  return input.toWellFormed();
}

function readValue(input: unknown, place: string): string {
  if (typeof input !== 'string' && typeof input !== 'number' && typeof input !== 'boolean') {
    throw new FilterRefusal(place, 'value must be a string, a number or a boolean');
  }
  return String(input).toWellFormed();
}

function readOneOf<T extends string>(input: unknown, allowed: readonly T[], place: string): T | undefined {
  if (input === undefined) return undefined;
  const found = allowed.find((one) => one === input);
  if (found === undefined) throw new FilterRefusal(place, `must be one of ${allowed.join(', ')}`);
  return found;
}

function readFlag(input: unknown, place: string): boolean {
  if (input === undefined || input === false || input === 'false') return false;
  if (input === true || input === 'true') return true;
  throw new FilterRefusal(place, 'must be true, false, "true" or "false"');
}

function asObject(input: unknown, place: string): Fields {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new FilterRefusal(place, 'must be an object');
  }
  return input as Fields;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FilterRefusal('filters', 'filters given as text must be valid JSON');
  }
}

const presentKeys = (fields: Fields): string[] => Object.keys(fields).filter((key) => fields[key] !== undefined);
const isGroup = (fields: Fields): boolean => fields.AND !== undefined || fields.OR !== undefined;
