import { type Filter, parseFilter } from '#features/search';
import { asDecorator, Rule } from '#platform/input';

const SCHEMA = { oneOf: [{ $ref: '#/components/schemas/Filter' }, { type: 'string' }] };

/** A filter expression (contract §5.1), as an object or as JSON text. */
export function IsFilter(): PropertyDecorator {
  const rule = new Rule(SCHEMA, (value) => {
    const parsed = parseFilter(value);
    return parsed.ok ? null : { code: 'invalid_filter', says: parsed.error.message, path: parsed.error.details };
  });
  return asDecorator('isFilter', rule);
}

/** Parses a field that `IsFilter` has accepted. */
export function filterOf(filters: unknown): Filter | null {
  if (filters === undefined) return null;
  const parsed = parseFilter(filters);
  if (!parsed.ok) throw new TypeError(`${parsed.error.details} ${parsed.error.message}`);
  return parsed.value;
}
