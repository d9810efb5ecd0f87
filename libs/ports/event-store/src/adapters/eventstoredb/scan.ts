import type { EventFilter } from '../../port.ts';
import type { LogEntry } from './log-entry.ts';
import type { ServerFilter } from './requests.ts';

/** How a filter is applied: roughly by the server, which compares prefixes, and exactly on this side. */
export interface Scan {
  /** Null: the server sends everything, its own events too. */
  readonly onServer: ServerFilter | null;
  /** The server sends little that does not match. */
  readonly isNarrow: boolean;
  readonly keeps: (entry: LogEntry) => boolean;
}

/** Regular expressions are not used: the server compiles the one of a request again, which costs more than the read. */
export function scanOf({ categories, types, organization }: EventFilter): Scan {
  const isOneOf = (wanted: readonly string[] | undefined) => {
    const names = wanted && new Set(wanted);
    return (name: string) => names?.has(name) ?? true;
  };
  const [isCategory, isType] = [isOneOf(categories), isOneOf(types)];
  return {
    onServer: serverFilterOf(categories, types),
    isNarrow: organization === undefined && !(categories && types),
    keeps: (entry) =>
      entry.isOwn &&
      isType(entry.type) &&
      (!categories || isCategory(entry.category)) &&
      (organization === undefined || entry.envelope.organization === organization),
  };
}

function serverFilterOf(categories: EventFilter['categories'], types: EventFilter['types']): ServerFilter | null {
  if (types) return { on: 'type', prefixes: types };
  // Without the `-`, because a stream may have the name of its category.
  return categories ? { on: 'stream', prefixes: categories } : null;
}

/** No event can match; such a filter cannot be sent, because the server takes it for none. */
export function matchesNothing({ categories, types }: EventFilter): boolean {
  return categories?.length === 0 || types?.length === 0;
}
