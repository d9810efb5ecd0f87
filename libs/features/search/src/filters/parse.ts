import { err, jsonSize, ok, type Result } from '#platform/kernel';
import type { Condition, Filter, NumericCondition } from './filter.ts';
import { foldCase } from './fold-case.ts';
import { numberIn } from './numbers.ts';

const MAX_LEVELS = 8;
const MAX_CONDITIONS = 200;
const MAX_KEY_LENGTH = 255;
/** A longer text blocks the thread that parses it. UTF-16 code units. */
const MAX_TEXT_LENGTH = 1_048_576;

const FILTER_TYPES = ['metadata', 'numeric', 'array_contains', 'string_contains'] as const;
const NUMERIC_OPERATORS = ['>', '<', '>=', '<=', '='] as const;
const NEGATED = { '=': '!=', '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const;

/** `details` is a path in the request, e.g. `filters.AND[1].value`; `message` is what follows it in a sentence. */
export interface FilterError {
  readonly message: string;
  readonly details: string;
}

/**
 * Parses the filter language of the contract (§5.1, rules F1–F5 and F8): a group, or the JSON text of one. Unknown fields
 * of a condition are ignored; unknown values of known fields are rejected. Input that does not parse is always an error,
 * never "no filter".
 */
export function parseFilter(input: unknown): Result<Filter, FilterError> {
  try {
    return ok(new FilterReader().root(input));
  } catch (refusal) {
    if (refusal instanceof FilterRefusal) return err({ message: refusal.message, details: refusal.details });
    throw refusal;
  }
}

/** Ends the recursion; `parseFilter` converts it to a Result. */
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
    if (!isGroup(fields)) throw new FilterRefusal('filters', 'must be a group: {"AND": [...]} or {"OR": [...]}');
    return this.#group(fields, 'filters', 1);
  }

  #node(input: unknown, path: string, level: number): Filter {
    const fields = asObject(input, path);
    return isGroup(fields) ? this.#group(fields, path, level) : this.#leaf(fields, path);
  }

  #group(fields: Fields, path: string, level: number): Filter {
    if (level > MAX_LEVELS) throw new FilterRefusal(path, `is nested deeper than ${MAX_LEVELS} levels`);
    const keys = presentKeys(fields);
    if (keys.length !== 1) throw new FilterRefusal(path, 'must have exactly one key, AND or OR');
    const name = keys[0] as 'AND' | 'OR';
    const nodes = fields[name];
    if (!Array.isArray(nodes) || nodes.length === 0) {
      throw new FilterRefusal(`${path}.${name}`, 'must be a non-empty array');
    }
    return {
      kind: name === 'AND' ? 'and' : 'or',
      nodes: nodes.map((node, i) => this.#node(node, `${path}.${name}[${i}]`, level + 1)),
    };
  }

  #leaf(fields: Fields, path: string): Filter {
    if (fields.key === undefined && fields.metadata !== undefined)
      return this.#pairs(fields.metadata, `${path}.metadata`);
    this.#count(path);
    return readCondition(fields, path);
  }

  /** `{"metadata": {"status": "draft"}}`: equality on each pair (F8). */
  #pairs(input: unknown, path: string): Filter {
    const pairs = Object.entries(asObject(input, path)).filter(([, value]) => value !== undefined);
    if (pairs.length === 0) throw new FilterRefusal(path, 'must name at least one key');
    const nodes = pairs.map(([key, value]) => {
      this.#count(path);
      return readCondition({ key, value }, path);
    });
    return { kind: 'and', nodes };
  }

  #count(path: string): void {
    this.#conditions += 1;
    if (this.#conditions > MAX_CONDITIONS) {
      throw new FilterRefusal(path, `is one condition more than the ${MAX_CONDITIONS} that filters may hold`);
    }
  }
}

function readCondition(fields: Fields, path: string): Condition {
  const key = readKey(fields.key, `${path}.key`);
  const text = readValue(fields.value, `${path}.value`);
  const operator = readOneOf(fields.numericOperator, NUMERIC_OPERATORS, `${path}.numericOperator`);
  const filterType =
    readOneOf(fields.filterType, FILTER_TYPES, `${path}.filterType`) ??
    (operator === undefined ? 'metadata' : 'numeric');
  const ignoreCase = readFlag(fields.ignoreCase, `${path}.ignoreCase`);
  const negate = readFlag(fields.negate, `${path}.negate`);

  if (filterType === 'numeric') return numeric(key, operator ?? '=', text, negate, `${path}.value`);
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
  path: string,
): NumericCondition {
  const value = numberIn(text);
  if (value === null) throw new FilterRefusal(path, 'must be a finite number for a numeric filter');
  return { kind: 'numeric', key, operator: negate ? NEGATED[operator] : operator, value };
}

function readKey(input: unknown, path: string): string {
  if (typeof input !== 'string' || input.length === 0 || input.length > MAX_KEY_LENGTH) {
    throw new FilterRefusal(path, `must be a string of 1 to ${MAX_KEY_LENGTH} characters`);
  }
  return input.toWellFormed();
}

function readValue(input: unknown, path: string): string {
  if (typeof input !== 'string' && typeof input !== 'number' && typeof input !== 'boolean') {
    throw new FilterRefusal(path, 'must be a string, a number or a boolean');
  }
  return String(input).toWellFormed();
}

function readOneOf<T extends string>(input: unknown, allowed: readonly T[], path: string): T | undefined {
  if (input === undefined) return undefined;
  const value = allowed.find((one) => one === input);
  if (value === undefined) throw new FilterRefusal(path, `must be one of ${allowed.join(', ')}`);
  return value;
}

function readFlag(input: unknown, path: string): boolean {
  if (input === undefined || input === false || input === 'false') return false;
  if (input === true || input === 'true') return true;
  throw new FilterRefusal(path, 'must be true, false, "true" or "false"');
}

function asObject(input: unknown, path: string): Fields {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new FilterRefusal(path, 'must be an object');
  }
  return input as Fields;
}

function parseJson(text: string): unknown {
  if (text.length > MAX_TEXT_LENGTH) {
    throw new FilterRefusal('filters', `must have at most ${MAX_TEXT_LENGTH} characters if it is text`);
  }
  if (jsonSize(Buffer.from(text)).exceeds !== null) {
    throw new FilterRefusal('filters', 'is nested too deep or has too many values');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new FilterRefusal('filters', 'must be valid JSON if it is text');
  }
}

const presentKeys = (fields: Fields): string[] => Object.keys(fields).filter((key) => fields[key] !== undefined);
const isGroup = (fields: Fields): boolean => fields.AND !== undefined || fields.OR !== undefined;
