/** One index, or one row of it; a JSON object per line of an export. */
interface IndexLine {
  readonly index: string;
  readonly definition: { readonly settings: object; readonly mappings: object; readonly aliases: object };
}
interface RowLine {
  readonly index: string;
  readonly id: string;
  readonly routing?: string;
  readonly version: number;
  readonly source: object;
}

/** Settings that OpenSearch gives an index itself. */
const OWN_SETTINGS = ['creation_date', 'uuid', 'version', 'provided_name', 'replication'];
const MOST_ROWS = 10_000;

/** Definitions and rows of all indices under a prefix. */
export async function exportIndices(url: string, prefix: string): Promise<string> {
  const lines: (IndexLine | RowLine)[] = [];
  await call(url, 'POST', `/${prefix}-*/_refresh`);
  const indices = await call<Record<string, IndexDefinition>>(url, 'GET', `/${prefix}-*`);
  for (const [index, { settings, mappings, aliases }] of Object.entries(indices)) {
    const kept = Object.entries(settings.index).filter(([name]) => !OWN_SETTINGS.includes(name));
    lines.push({ index, definition: { settings: { index: Object.fromEntries(kept) }, mappings, aliases } });
    const found = await call<Found>(
      url,
      'POST',
      `/${index}/_search`,
      JSON.stringify({ size: MOST_ROWS, version: true }),
    );
    for (const { _id, _routing, _version, _source } of found.hits.hits) {
      lines.push({ index, id: _id, ...(_routing && { routing: _routing }), version: _version, source: _source });
    }
    if (found.hits.hits.length === MOST_ROWS) throw new Error(`${index} has more rows than one search answers`);
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

interface IndexDefinition {
  readonly settings: { readonly index: Record<string, unknown> };
  readonly mappings: object;
  readonly aliases: object;
}
interface Found {
  readonly hits: {
    readonly hits: readonly {
      readonly _id: string;
      readonly _routing?: string;
      readonly _version: number;
      readonly _source: object;
    }[];
  };
}

/** Replaces all indices under a prefix by those of an export of it, with all of their rows. */
export async function importIndices(url: string, prefix: string, lines: string): Promise<void> {
  await call(url, 'DELETE', `/${prefix}-*`);
  let bulk = '';
  for (const line of lines.split('\n').filter((one) => one !== '')) {
    const parsed = JSON.parse(line) as IndexLine | RowLine;
    if ('definition' in parsed) {
      await call(url, 'PUT', `/${parsed.index}`, JSON.stringify(parsed.definition));
      continue;
    }
    const { index, id, routing, version, source } = parsed;
    const place = { _index: index, _id: id, routing, version, version_type: 'external_gte' };
    bulk += `${JSON.stringify({ index: place })}\n${JSON.stringify(source)}\n`;
  }
  const { errors } = await call<{ errors: boolean }>(url, 'POST', '/_bulk?refresh=true', bulk);
  if (errors) throw new Error('OpenSearch refused rows of the export');
}

async function call<T>(url: string, method: string, path: string, body?: string): Promise<T> {
  const headers = { 'content-type': path.startsWith('/_bulk') ? 'application/x-ndjson' : 'application/json' };
  const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
  return JSON.parse(text) as T;
}
