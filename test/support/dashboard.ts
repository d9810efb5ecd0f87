import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** A metric as a server exposes it. */
export interface Family {
  readonly type: string;
  readonly labels: ReadonlySet<string>;
}

interface Query {
  readonly expression: string;
  /** Metrics, those of histograms with `_bucket`, `_sum` or `_count`. */
  readonly series: readonly string[];
  readonly labels: readonly string[];
}

/** Labels that Prometheus adds to every series. */
const OF_TARGET = ['job', 'instance'];

/** Returns the metrics of a response of `GET /metrics` by name. One without a sample has no labels yet. */
export function familiesIn(text: string): ReadonlyMap<string, Family & { readonly samples: number }> {
  const families = new Map<string, { type: string; labels: Set<string>; samples: number }>();
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type !== null) families.set(type[1] as string, { type: type[2] as string, labels: new Set(), samples: 0 });
    const sample = /^(\w+)(?:\{(.*)\})? /.exec(line);
    if (sample === null) continue;
    const family = families.get(sample[1] as string) ?? families.get(baseOf(sample[1] as string));
    if (family !== undefined) family.samples += 1;
    for (const [, label] of (sample[2] ?? '').matchAll(/(\w+)="/g)) {
      if (label !== 'le') family?.labels.add(label as string);
    }
  }
  return families;
}

/** Returns what the Grafana dashboard asks for and a server does not expose. */
export function dashboardFaults(text: string): readonly string[] {
  const families = familiesIn(text);
  return queries().flatMap(({ expression, series, labels }) => {
    const faults = series.flatMap((name) => {
      const family = families.get(name) ?? families.get(baseOf(name));
      if (family === undefined) return [`there is no metric ${name}`];
      if ((family.type === 'histogram') !== (name !== baseOf(name)))
        return [`${name} is no series of a ${family.type}`];
      if (family.samples === 0) return [];
      const known = [...family.labels, ...OF_TARGET, ...(name.endsWith('_bucket') ? ['le'] : [])];
      return labels.filter((label) => !known.includes(label)).map((label) => `${name} has no label ${label}`);
    });
    return faults.map((fault) => `${fault}: ${expression}`);
  });
}

/** Returns the metrics of the dashboard. */
export const dashboardMetrics = (): ReadonlySet<string> =>
  new Set(queries().flatMap(({ series }) => series.map(baseOf)));

/** Returns the metrics in the table of docs/operations.md. */
export function documentedMetrics(): ReadonlyMap<string, Family> {
  const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `(mneme_\w+)` \| (\w+) \| ([^|]*)\|/gm)];
  return new Map(
    rows.map(([, name, type, labels]) => [
      name as string,
      { type: type as string, labels: labelsIn(labels as string) },
    ]),
  );
}

/** Reads `` `input`: `question`, `passages` `` as one label with its values, and `` `method`, `route` `` as two labels. */
function labelsIn(cell: string): ReadonlySet<string> {
  const names = cell.split(';').flatMap((part) => [...(part.split(':')[0] as string).matchAll(/`(\w+)`/g)]);
  return new Set(names.map(([, name]) => name as string));
}

function queries(): readonly Query[] {
  const { panels, templating } = JSON.parse(readFileSync(join(ROOT, 'docs/grafana/mneme.json'), 'utf8')) as {
    panels: { targets: { expr: string }[] }[];
    templating: { list: { definition?: string }[] };
  };
  const expressions = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...templating.list.flatMap(({ definition }) => definition ?? []),
  ];
  return expressions.map((expression) => ({
    expression,
    series: [...expression.matchAll(/\bmneme_\w+/g)].map(([name]) => name),
    labels: [
      ...[...expression.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label as string),
      ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names]) => (names as string).split(/,\s*/)),
      ...[...expression.matchAll(/^label_values\(.*, (\w+)\)$/g)].map(([, label]) => label as string),
    ],
  }));
}

const baseOf = (series: string): string => series.replace(/_(bucket|sum|count)$/, '');
