import { dump, FAILSAFE_SCHEMA, load, Type } from 'js-yaml';
import type { Json } from '#platform/kernel';

const NULLS = new Set<string | null>(['~', 'null', 'Null', 'NULL']);
const BOOLEANS = new Map<string | null, boolean>([
  ...(['true', 'True', 'TRUE'] as const).map((written) => [written, true] as const),
  ...(['false', 'False', 'FALSE'] as const).map((written) => [written, false] as const),
]);

/** Nothing but what JSON has. A date, and a number that JavaScript writes in another way (`1.10`, `007`), is text. */
const PLAIN_VALUES: readonly Type[] = [
  new Type('!null', {
    ...{ kind: 'scalar', resolve: (written) => NULLS.has(written), construct: () => null },
    ...{ predicate: (value) => value === null, represent: () => 'null' },
  }),
  new Type('!boolean', {
    ...{ kind: 'scalar', resolve: (written) => BOOLEANS.has(written), construct: (written) => BOOLEANS.get(written) },
    ...{ predicate: (value) => typeof value === 'boolean', represent: String },
  }),
  new Type('!number', {
    ...{ kind: 'scalar', resolve: isNumber, construct: Number },
    ...{ predicate: (value) => typeof value === 'number', represent: String },
  }),
  new Type('tag:yaml.org,2002:merge', { kind: 'scalar', resolve: (written) => written === '<<' }),
];

/** What has a tag of a program, such as `!!timestamp` or `!r`, is what stands behind the tag. */
const TAGGED_VALUES: readonly Type[] = ['tag:yaml.org,2002:', '!'].flatMap((prefix) =>
  (['scalar', 'sequence', 'mapping'] as const).map((kind) => new Type(prefix, { kind, multi: true })),
);

const SCHEMA = FAILSAFE_SCHEMA.extend({ implicit: [...PLAIN_VALUES], explicit: [...TAGGED_VALUES] });

function isNumber(written: string | null): boolean {
  return written !== null && /^-?\d/.test(written) && String(Number(written)) === written;
}

/** The result may hold an object many times, and itself. @throws if the text is no YAML */
export const parseYaml = (text: string): unknown => load(text, { schema: SCHEMA, json: true });

/** Returns the entries as YAML without escapes and references, a list on the line of its key. */
export const yamlOf = (entries: readonly (readonly [string, Json])[]): string =>
  entries
    .map(([key, value]) => {
      const flowLevel = typeof value === 'string' ? -1 : 1;
      return dump({ [key]: value }, { schema: SCHEMA, lineWidth: -1, noRefs: true, noCompatMode: true, flowLevel });
    })
    .join('');
